import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, startOnly } from '../../helpers/site.ts'
import { themeFolder, type ThemeFolder } from '../../helpers/theme-folder.ts'

startOnly('themes')

const themes = suite('theme folders')

const serveTheme = async ({ folder }: ThemeFolder, options = {}) => {
  const site = await serve({ plugins: { themes: { folder, recheck: 0, ...options } } })
  await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
  return site
}

themes('are read from their files, and a broken file does not affect the others', async () => {
  await using theme = await themeFolder({
    'theme.json': JSON.stringify({
      version: 3,
      customTemplates: [{ name: 'wide', title: 'Wide', postTypes: ['page'] }],
      templateParts: [{ name: 'header', title: 'Top', area: 'header' }],
      svc: { menus: { primary: 'Main menu' }, supports: { 'custom-logo': true } },
    }),
    'templates/wide.html': 'wide',
    'templates/.hidden.html': 'hidden',
    'parts/header.html': 'top',
    'styles/dark.json': '{"version":3,"title":"Dark","styles":{}}',
    'styles/broken.json': '{"version":',
    'patterns/call.php': '<?php\n/**\n * Title: Call\n * Slug: plain/call\n * Inserter: no\n */\n?>\n<p>file</p>',
    'patterns/code.php': '<?php\n/**\n * Title: Code\n * Slug: plain/code\n */\n?>\n<p><?php echo 1; ?></p>',
    'patterns/pic.html': '<!--\nTitle: Pic\nSlug: plain/pic\nCategories: media, text\n-->\n<img src="file:./leaf.png">',
  })
  await using site = await serveTheme(theme)
  const files = await site.kernel.services.themes.files('plain')
  assert.is(files.css, 'body{}')
  assert.equal([...files.templates.keys()].sort(), ['index', 'wide'])
  assert.equal(files.templates.get('wide')?.postTypes, ['page'])
  assert.is(files.parts.get('header')?.area, 'header')
  assert.equal(
    files.variations.map(({ title }) => title),
    ['Dark'],
  )
  assert.equal(
    files.patterns.map(({ slug }) => slug),
    ['plain/call', 'plain/pic'],
  )
  assert.equal(files.patterns[1]?.categories, ['media', 'text'])
  assert.is(files.patterns[1]?.content, `<img src="${site.home}/wp-content/themes/plain/leaf.png">`)
  assert.equal((await site.kernel.services.themes.active()).menus, { primary: 'Main menu' })

  const shown = await site.json('/svc/v2/themes/plain', as('administrator'))
  assert.equal(shown.name, { raw: 'Plain & simple', rendered: 'Plain &amp; simple' })
  assert.is(shown.author.rendered, '<a href="https://rosa.example/">Rosa</a>')
  assert.equal(shown.tags.raw, ['one', 'two'])
  assert.is(shown.is_block_theme, true)
  assert.is(shown.theme_supports['custom-logo'], true)
  assert.is(shown.theme_supports['block-templates'], true)
  assert.is(shown.stylesheet_uri, `${site.home}/wp-content/themes/plain`)
})

themes('are read again after a file has changed', async () => {
  await using theme = await themeFolder()
  await using site = await serveTheme(theme)
  const name = async () => (await site.json('/svc/v2/themes/plain?_fields=version', as('administrator'))).version
  assert.is(await name(), '1.2')
  await theme.write('style.css', '/*\nTheme Name: Plain\nVersion: 1.10.5\n*/')
  // The timer calls this to discard outdated files.
  await site.kernel.services.themes.library.refresh()
  assert.is(await name(), '1.10.5')
})

themes('serve styles and images, but no templates, code, hidden or linked files', async () => {
  await using theme = await themeFolder({ 'leaf.svg': '<svg/>', 'functions.php': '<?php', '.secret.css': 'x' })
  await writeFile(path.join(theme.folder, 'outside.css'), 'secret')
  await symlink(path.join(theme.folder, 'outside.css'), path.join(theme.folder, 'plain', 'linked.css'))
  await using site = await serveTheme(theme)
  const statuses = await Promise.all(
    [
      'plain/style.css',
      'plain/leaf.svg',
      'plain/functions.php',
      'plain/theme.json',
      'plain/templates/index.html',
      'plain/.secret.css',
      'plain/linked.css',
      'plain/%2e%2e/outside.css',
      'plain/..%2foutside.css',
      'outside.css',
      'nope/style.css',
    ].map(async (file) => (await fetch(`${site.home}/wp-content/themes/${file}`)).status),
  )
  assert.equal(statuses, [200, 200, 404, 404, 404, 404, 404, 404, 404, 404, 404])
})

themes('inherit templates, settings and CSS from their parent theme', async () => {
  await using theme = await themeFolder({ 'theme.json': '{"version":3,"settings":{"a":{"b":1,"c":2}}}' })
  await theme.write('../child/style.css', '/*\nTheme Name: Child\nTemplate: plain\n*/\np{}')
  await theme.write('../child/theme.json', '{"version":3,"settings":{"a":{"c":3}},"__proto__":{"polluted":true}}')
  await theme.write('../child/templates/page.html', 'page')
  await using site = await serveTheme(theme)
  await site.kernel.services.themes.activate('child')
  const { templates, json, css } = await site.kernel.services.themes.files('child')
  assert.equal([...templates.keys()].sort(), ['index', 'page'])
  assert.equal(json.settings, { a: { b: 1, c: 3 } })
  assert.is((json as { polluted?: boolean }).polluted, undefined)
  assert.is(css, 'body{}\np{}')
  const { template } = await site.json('/svc/v2/themes/child', as('administrator'))
  assert.is(template, 'plain')
})

themes('can be activated only if they exist, and are listed by status', async () => {
  await using theme = await themeFolder()
  await using site = await serveTheme(theme)
  const { themes: service } = site.kernel.services
  assert.is(await service.activate('nope'), null)
  assert.is(await service.activate('../plain'), null)
  assert.is((await service.activate('default'))?.stylesheet ?? null, (await service.get('default'))?.stylesheet ?? null)
  await service.activate('plain')
  const inactive = await site.json('/svc/v2/themes?status=inactive', as('administrator'))
  assert.ok(inactive.every(({ status }: { status: string }) => status === 'inactive'))
})

themes.run()
