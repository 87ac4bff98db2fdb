import { mkdir, mkdtempDisposable, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { copyTheme, readSiteFiles } from '../../../../plugins/operations/importer/theme-files.ts'
import { home } from './importing.ts'

const files = suite<{ folder: string; owned: AsyncDisposableStack }>('site files and themes of an import')

files.before.each(async (context) => {
  context.owned = new AsyncDisposableStack()
  context.folder = context.owned.use(await mkdtempDisposable(join(tmpdir(), 'theme-'))).path
})
files.after.each(({ owned }) => owned.disposeAsync())

async function write(folder: string, contents: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

const code = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: { code: string; message: string }) => error.code,
  )

files('are merged, and later files take precedence', async ({ folder }) => {
  await write(folder, {
    'a.json': {
      users: [{ login: 'ann' }],
      settings: { title: 'A', description: 'a' },
      theme: { stylesheet: 'one', name: 'One' },
    },
    'b.json': {
      users: [{ login: 'ben' }],
      settings: { title: 'B' },
      theme: { stylesheet: 'two' },
      permalink: '/%postname%/',
    },
  })
  const { site, theme } = await readSiteFiles([join(folder, 'a.json'), join(folder, 'b.json')], home)
  assert.equal(site, {
    users: [{ login: 'ann' }, { login: 'ben' }],
    settings: { title: 'B', description: 'a' },
    theme: { stylesheet: 'two', name: 'One' },
    permalink: '/%postname%/',
  })
  assert.is(theme, undefined)
  assert.equal(await readSiteFiles([], home), { site: undefined, theme: undefined })
})

files('are rejected if the folder of a theme is missing or its stylesheet name is unsafe', async ({ folder }) => {
  await write(folder, {
    'good.json': { theme: { stylesheet: 'garden', folder: 'theme' } },
    'missing.json': { theme: { stylesheet: 'garden', folder: 'nowhere' } },
    'outside.json': { theme: { stylesheet: '../garden', folder: 'theme' } },
    'unnamed.json': { theme: { folder: 'theme' } },
    'theme/theme.json': { version: 3 },
  })
  const { theme } = await readSiteFiles([join(folder, 'good.json')], home)
  assert.equal(theme, { stylesheet: 'garden', source: join(folder, 'theme') })
  for (const bad of ['missing', 'outside', 'unnamed']) {
    assert.is(await code(readSiteFiles([join(folder, `${bad}.json`)], home)), 'IMPORT_SITE_INVALID', bad)
  }
})

files('are rejected before the import if a theme is too large', async ({ folder }) => {
  await write(folder, { 'site.json': { theme: { stylesheet: 'garden', folder: 'theme' } }, 'theme/theme.json': '{}' })
  // A sparse file, which takes no disk space.
  await truncate(join(folder, 'theme', 'theme.json'), 300 * 1024 ** 2)
  assert.is(await code(readSiteFiles([join(folder, 'site.json')], home)), 'IMPORT_SITE_INVALID')
})

files('copy the data files of a theme, but no code and no links', async ({ folder }) => {
  const source = join(folder, 'theme')
  await write(source, {
    'theme.json': { version: 3 },
    'style.css': '/* Theme Name: Garden */',
    'functions.php': '<?php echo 1;',
    '.hidden.json': '{}',
    'templates/index.html': '<p></p>',
    'patterns/call.php': '<?php /* Title: Call */ ?>',
    'patterns/deep/inner.php': '<?php',
    'assets/script.js': 'alert(1)',
    'assets/leaf.svg': '<svg></svg>',
  })
  await write(folder, { 'secret.json': 'secret' })
  await symlink(join(folder, 'secret.json'), join(source, 'link.json'))
  const themes = join(folder, 'themes')
  assert.is(await copyTheme({ stylesheet: 'garden', source }, themes), 5)
  const copied = (await readdir(join(themes, 'garden'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
  assert.equal(copied.toSorted(), ['call.php', 'index.html', 'leaf.svg', 'style.css', 'theme.json'])
  assert.equal(await readdir(themes), ['garden'])
})

files('leave an existing theme unchanged', async ({ folder }) => {
  await write(folder, { 'theme/theme.json': { version: 3 }, 'themes/garden/theme.json': 'mine' })
  assert.is(await copyTheme({ stylesheet: 'garden', source: join(folder, 'theme') }, join(folder, 'themes')), null)
  assert.is(await readFile(join(folder, 'themes/garden/theme.json'), 'utf8'), 'mine')
})

files.run()
