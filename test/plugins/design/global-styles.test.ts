import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { safeCss, safeValue } from '../../../plugins/design/global-styles/safe-css.ts'
import { styleSheet } from '../../../plugins/design/global-styles/css.ts'
import { DEFAULTS } from '../../../plugins/design/global-styles/defaults.ts'
import {
  kebab,
  knownStyles,
  merge,
  ofOrigin,
  PRESETS,
  valueAt,
  withVariables,
} from '../../../plugins/design/global-styles/theme-json.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

const json = suite('theme.json')

json('of version 2 is migrated: its font sizes replace the defaults', () => {
  const { version, settings } = ofOrigin({ version: 2, settings: { typography: { fontSizes: [] } } }, 'theme')
  assert.is(version, 3)
  assert.equal(settings, { typography: { fontSizes: { theme: [] }, defaultFontSizes: false } })
})

json('groups presets by origin, without merging lists', () => {
  const first = ofOrigin({ settings: { color: { palette: [{ slug: 'a' }] }, spacing: { units: ['px'] } } }, 'default')
  const second = ofOrigin({ settings: { color: { palette: [{ slug: 'b' }] }, spacing: { units: ['em'] } } }, 'theme')
  assert.equal(merge(first, second).settings, {
    color: { palette: { default: [{ slug: 'a' }], theme: [{ slug: 'b' }] } },
    spacing: { units: ['em'] },
  })
})

json('expands appearance tools, and is without them unless a theme names them', () => {
  const on = ofOrigin({ settings: { appearanceTools: true, dimensions: { minWidth: false } } }, 'theme').settings
  assert.is(valueAt(on, 'appearanceTools'), undefined)
  assert.is(valueAt(on, 'background', 'gradient'), true)
  assert.is(valueAt(on, 'dimensions', 'minWidth'), false)
  assert.equal(ofOrigin({ settings: { appearanceTools: false } }, 'theme').settings, { appearanceTools: false })
  assert.is(valueAt(DEFAULTS, 'settings', 'appearanceTools'), false)
})

json('groups spacing scales by origin, and keeps gaps of null', () => {
  const scale = (steps: number) => ({ settings: { spacing: { spacingScale: { steps } } } })
  const merged = merge(ofOrigin(scale(7), 'default'), ofOrigin(scale(3), 'theme'))
  assert.equal(merged.settings, { spacing: { spacingScale: { default: { steps: 7 }, theme: { steps: 3 } } } })
  assert.equal(ofOrigin({ settings: { spacing: { spacingScale: { theme: { steps: 3 } } } } }, 'theme').settings, {
    spacing: { spacingScale: { theme: { steps: 3 } } },
  })
  const styles = {
    spacing: { blockGap: null, margin: null },
    blocks: { 'core/columns': { spacing: { blockGap: null } } },
  }
  assert.equal(knownStyles(styles), {
    spacing: { blockGap: null },
    blocks: { 'core/columns': { spacing: { blockGap: null } } },
  })
})

json('gives rules for buttons after those for links, and none for gaps of null', () => {
  const link = {
    elements: { link: { color: { text: 'red' } } },
    blocks: { 'core/icon': { dimensions: { minWidth: '2px' } } },
  }
  const css = styleSheet(merge(ofOrigin(DEFAULTS, 'default'), ofOrigin({ styles: link }, 'theme')), 'x')
  assert.ok(css.indexOf('a:where(:not(.x-element-button))) { color: red }') > 0)
  assert.ok(css.indexOf('a:where(:not(.x-element-button))') < css.indexOf('.x-block-button__link) {'))
  assert.match(css, ':root :where(.x-block-icon svg) { min-width: 2px; width: 24px }')
  assert.match(css, 'padding-top: calc(0.667em + 2px)')
  assert.not.match(css, /\.x-block-(?:columns|gallery|latest-posts|post-template|term-template)\) \{ gap:/)
  assert.not.match(css, /: (?:null|undefined)/)
})

json('resolves preset references, and ignores prototype keys', () => {
  assert.is(withVariables('var:preset|font-size|xLarge', 'wp'), 'var(--wp--preset--font-size--x-large)')
  const hostile = JSON.parse(
    '{"__proto__":{"a":1},"blocks":{"__proto__":{"color":{"text":"red"}},"../x":{}}}',
  ) as object
  assert.equal(knownStyles(hostile as Record<string, unknown>), {})
  merge({}, hostile as Record<string, unknown>)
  assert.is(({} as Record<string, unknown>)['a'], undefined)
})

json('refuses CSS values that end a declaration or load a script', () => {
  for (const value of ['#fff', 'calc(1px + 2%)', 'url("https://a.example/b.png")', 'var(--x, 2px)', 1.5])
    assert.is(safeValue(value), String(value))
  for (const value of [
    'red; color: blue',
    'red}body{',
    '</style>',
    'url(javascript:alert(1))',
    'url(data:text/html,x)',
    'calc(1px',
    '"open',
    'a /* b',
    'x\\3c',
    {},
    'a'.repeat(3000),
  ])
    assert.is(safeValue(value), null, JSON.stringify(value))
  assert.is(safeCss('p { color: red }'), 'p { color: red }')
  for (const css of ['p {', 'p { } }', 'a::before { content: "</style>" }', '@import url(x)', 'p { /* '])
    assert.is(safeCss(css), '', css)
})

json.run()

/** Returns the ID of the user styles of the active theme. */
async function stylesOf(site: SiteWithUsers): Promise<number> {
  type Theme = { _links: Record<string, { href: string }[]> }
  const [theme] = (await site.json('/svc/v2/themes?status=active', site.by('ann'))) as Theme[]
  return Number(theme!._links['svc:user-global-styles']![0]!.href.split('/').at(-1))
}

for (const { name, place } of databases) {
  const styles = suite(`global styles, ${name}`)

  styles(
    'are created once per theme, readable for users who can edit posts, and editable for administrators',
    async () => {
      await using site = await serveWithUsers(place)
      const id = await stylesOf(site)
      assert.is(await stylesOf(site), id)
      const status = async (path: string, login?: 'admin' | 'ed' | 'ann' | 'con' | 'sub') =>
        (await site.get(`/svc/v2/global-styles/${path}`, login === undefined ? {} : site.by(login))).status
      for (const [path, expected] of [
        [`${id}`, [200, 200, 200, 200, 403, 401]],
        [`${id}?context=edit`, [200, 403, 403, 403, 403, 401]],
        [`${id}/revisions`, [200, 403, 403, 403, 403, 401]],
        ['themes/default', [200, 200, 200, 200, 403, 401]],
        ['themes/default/variations', [200, 200, 200, 200, 403, 401]],
      ] as const) {
        const logins = ['admin', 'ed', 'ann', 'con', 'sub', undefined] as const
        assert.equal(await Promise.all(logins.map((login) => status(path, login))), expected, path)
      }
      for (const login of ['ed', 'ann', 'con', 'sub'] as const)
        assert.is((await site.send('PUT', `/svc/v2/global-styles/${id}`, { styles: {} }, login)).status, 403)
      const ofTheme = (await site.json('/svc/v2/global-styles/themes/default', site.by('admin'))) as object
      assert.equal(Object.keys(ofTheme), ['settings', 'styles', '_links'])
      assert.is(await status('themes/other', 'admin'), 404)
      assert.is(await status('999999', 'admin'), 404)
      // Other routes do not serve the styles post.
      assert.is((await site.get(`/svc/v2/posts/${id}`, site.by('admin'))).status, 404)
    },
  )

  styles('change the style sheet, which has an ETag and drops unsafe values', async () => {
    await using site = await serveWithUsers(place)
    const id = await stylesOf(site)
    const sheet = `${site.home}/svc-styles.css`
    const first = await fetch(sheet)
    const css = await first.text()
    assert.is(first.headers.get('content-type'), 'text/css; charset=UTF-8')
    for (const part of ['--wp--preset--color--accent: #0b5cad', '.has-accent-color', '.is-layout-flex'])
      assert.ok(css.includes(part), part)
    const revalidated = await fetch(sheet, { headers: { 'if-none-match': first.headers.get('etag')! } })
    assert.is(revalidated.status, 304)
    const changedStyles = {
      styles: {
        color: { text: '#123456', background: '</style><script>1</script>' },
        blocks: { 'core/quote': { color: { text: 'red} body { display: none' } } },
        css: '.mine { color: teal }',
        nonsense: 1,
      },
      settings: { color: { palette: { custom: [{ slug: 'mine', name: 'Mine', color: '#654321' }] } } },
    }
    const response = await site.send('PUT', `/svc/v2/global-styles/${id}`, changedStyles, 'admin')
    assert.is(response.status, 200, await response.clone().text())
    assert.not.ok('nonsense' in ((await response.json()) as { styles: object }).styles)
    const changed = await (await fetch(sheet)).text()
    // User colors switch the dark scheme of the theme off.
    assert.equal(
      [css, changed].map((text) => text.includes('prefers-color-scheme: dark')),
      [true, false],
    )
    for (const part of ['color: #123456', '--wp--preset--color--mine: #654321', '.mine { color: teal }'])
      assert.ok(changed.includes(part), part)
    for (const part of ['</style', 'red} body']) assert.not.ok(changed.includes(part), part)
    const revisions = (await site.json(`/svc/v2/global-styles/${id}/revisions`, site.by('admin'))) as {
      styles: object
    }[]
    assert.equal(Object.keys(revisions[0]!).includes('styles'), true)
  })

  styles('have variables and classes for each default preset, also where the theme hides them in editors', async () => {
    await using site = await serveWithUsers(place)
    const { settings } = (await site.json('/svc/v2/global-styles/themes/default', site.by('admin'))) as {
      settings: Record<string, Record<string, unknown>>
    }
    assert.is(settings['color']!['defaultPalette'], false)
    const css = await (await fetch(`${site.home}/svc-styles.css`)).text()
    for (const { path, value, variable, classes } of PRESETS) {
      if (variable === 'duotone') continue
      for (const preset of (valueAt(DEFAULTS, 'settings', ...path) as Record<string, unknown>[] | undefined) ?? []) {
        const slug = kebab(String(preset['slug']))
        assert.ok(css.includes(`--wp--preset--${variable}--${slug}: `), `${variable} ${slug} ${String(preset[value])}`)
        for (const [suffix] of classes) assert.ok(css.includes(`.has-${slug}-${suffix} {`), `.has-${slug}-${suffix}`)
      }
    }
    const colors = DEFAULTS['settings'] as { color: { gradients: unknown[]; duotone: unknown[] } }
    assert.equal([colors.color.gradients.length, colors.color.duotone.length], [12, 8])
  })

  styles('cannot import style sheets or end a rule, even with escapes', async () => {
    await using site = await serveWithUsers(place)
    const id = await stylesOf(site)
    const sheet = async () => (await fetch(`${site.home}/svc-styles.css`)).text()
    const before = await sheet()
    for (const css of [
      '@import "/evil.css";',
      '@\\69mport "/evil.css";',
      '@\\000049 MPORT "/evil.css";',
      '@imp\\ort "/evil.css";',
      '} .evil {',
      '/* evil',
      '"evil',
      '.evil { a: (',
    ])
      for (const styles of [{ css }, { blocks: { 'core/quote': { css } } }]) {
        await site.send('PUT', `/svc/v2/global-styles/${id}`, { styles }, 'admin')
        assert.is(await sheet(), before, css)
      }
    for (const text of ['red; evil: 1', 'red} .evil {', 'url(javascript:evil)', '/* evil', 're\\64', '</style>evil']) {
      const palette = { custom: [{ slug: 'x', name: 'X', color: text }] }
      const body = { styles: { color: { text } }, settings: { color: { palette }, custom: { 'a}b': text } } }
      assert.is((await site.send('PUT', `/svc/v2/global-styles/${id}`, body, 'admin')).status, 200)
      assert.not.match(await sheet(), /evil|re\\64/, text)
    }
  })

  styles('refuse markup in global and block CSS', async () => {
    await using site = await serveWithUsers(place)
    const id = await stylesOf(site)
    for (const css of ['</style>', '<script>'])
      for (const body of [{ css }, { blocks: { 'core/quote': { css } } }]) {
        const response = await site.send('PUT', `/svc/v2/global-styles/${id}`, { styles: body }, 'admin')
        assert.is(((await response.json()) as { code: string }).code, 'rest_custom_css_illegal_markup')
      }
  })

  styles.run()
}
