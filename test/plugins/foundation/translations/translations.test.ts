import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openProject } from '../../../checks/mentioned-types.ts'
import { catalogTexts } from '../../../checks/words.ts'
import { Words } from '../../../../plugins/foundation/translations/words.ts'
import { browse } from '../../../helpers/browser.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { svc } from '../../../helpers/svc.ts'

const root = resolve(import.meta.dirname, '../../../..')
const catalogs = join(root, 'plugins/foundation/translations/catalogs')
const words = suite('translations')

words('contain every text of the sources', () => {
  using project = openProject(join(root, 'tsconfig.json'))
  assert.equal(catalogTexts(project, root).mistakes, [])
})

words('read the folder of the site, whose languages users can choose in the admin', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-words-'))
  const catalogue = { Dashboard: 'Übersicht', Drafts: 'Entwürfe <neu>', 'Log out': null }
  await writeFile(join(folder.path, 'de.json'), JSON.stringify(catalogue))
  await using site = await serveWithUsers(filePlace, { plugins: { translations: { folder: folder.path } } })
  const ed = { method: 'POST', path: '/svc/v2/users/me' }
  assert.is((await site.send(ed.method, ed.path, { locale: 'de_DE' }, 'ed')).status, 200)
  assert.is((await site.send(ed.method, ed.path, { locale: 'tlh' }, 'ed')).status, 400)
  const browser = browse(site)
  await browser.logIn('ed', 'pass phrase of ed')
  const text = await (await browser.open('/svc-admin/')).text()
  assert.match(text, '<html lang="de-DE"')
  assert.match(text, '<h1>Übersicht</h1>')
  assert.match(text, 'Entwürfe &#60;neu&#62;')
  // Texts that the file leaves out come from the catalog that is shipped.
  assert.match(text, 'Abmelden')
})

words('follow the language of the site in the admin of users without a locale, without a restart', async () => {
  await using site = await serveWithUsers(filePlace)
  const browser = browse(site)
  await browser.logIn('ed', 'pass phrase of ed')
  const languageOf = async () => /<html lang="([^"]+)"/.exec(await (await browser.open('/svc-admin/')).text())![1]
  assert.is(await languageOf(), 'en-US')
  for (const [language, shown] of [
    ['de_DE', 'de-DE'],
    ['pt_BR', 'pt-BR'],
    ['en_US', 'en-US'],
  ] as const) {
    assert.is((await site.send('POST', '/svc/v2/settings', { language }, 'admin')).status, 200)
    assert.is(await languageOf(), shown)
    const me = await site.send('GET', '/svc/v2/users/me?context=edit', undefined, 'ed')
    assert.is(((await me.json()) as { locale: string }).locale, language)
  }
})

words('print all texts, or only the missing ones', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-words-'))
  await mkdir(join(folder.path, 'words'))
  await writeFile(join(folder.path, 'words', 'eo.json'), JSON.stringify({ Dashboard: 'Panelo' }))
  const config = join(folder.path, 'svc.config.json')
  await writeFile(config, JSON.stringify({ database: 'sqlite::memory:', log: 'silent' }))
  const print = async (...flags: string[]) => {
    const { code, out, err } = await svc('translations', '--config', config, '--language', 'eo', ...flags)
    assert.is(code, 0, err)
    return JSON.parse(out) as Record<string, unknown>
  }
  const all = await print()
  assert.is(all['Dashboard'], 'Panelo')
  assert.is(all['Drafts'], null)
  assert.equal(all['{count} items'], { one: null, other: null })
  assert.not.ok('Dashboard' in (await print('--missing')))
  const wrong = await svc('translations', '--config', config, '--language', 'de_DE')
  assert.is(wrong.code, 1)
  assert.match(wrong.err, '"de_DE" is not a language. Write it as de or pt-BR.')
})

words('hide the context of texts without a translation', () => {
  const english = new Words('en', {}, 'UTC')
  assert.is(english.t('comment status|Pending'), 'Pending')
  assert.is(english.count(2, 'file|1 item', 'file|{count} items'), '2 items')
  assert.is(english.t('a | b'), 'a | b')
  const german = new Words('de', { 'comment status|Pending': 'Ausstehend', 'jobs|Waiting': 'Wartend' }, 'UTC')
  assert.is(german.t('comment status|Pending'), 'Ausstehend')
  assert.is(german.html('Reply to <{name}>', { name: '&' }).text, 'Reply to &#60;&#38;&#62;')
})

words('show times relative to now, with the exact time as title', () => {
  const now = Date.parse('2026-01-31T10:00:00Z')
  const ago = (words: Words, gmt: string | null) => words.ago(gmt, now).text.replace(/ datetime="[^"]*"/, '')
  const english = new Words('en', {}, 'UTC')
  const title = (date: string, time: string) => `<time title="Jan ${date}, 2026, ${time} AM">`
  assert.is(ago(english, '2026-01-31T09:59:58'), `${title('31', '9:59')}1 minute ago</time>`)
  assert.is(ago(english, '2026-01-31T08:01:00'), `${title('31', '8:01')}1 hour ago</time>`)
  assert.is(ago(english, '2026-01-28T09:00:00'), `${title('28', '9:00')}3 days ago</time>`)
  assert.match(ago(english, '2026-02-02T10:00:00Z'), '>in 2 days<')
  assert.match(ago(english, '2025-11-01T10:00:00'), '>Nov 1, 2025<')
  assert.is(ago(english, null), '–')
  assert.match(ago(new Words('de', {}, 'UTC'), '2026-01-31T08:00:00'), '>vor 2 Stunden<')
})

words(
  'show pages, the login page and the comment form in the language of the site, and follow its change',
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-words-'))
    const german = {
      'Log in': 'Anmelden',
      'Leave a reply': 'Schreibe einen Kommentar',
      'Page not found': 'Seite nicht gefunden',
      'theme|Page not found': 'Hier ist <nichts>',
      'theme|Search': 'Suchen "hier" --',
      '{count} responses to “{title}”': { one: 'Eine Antwort auf „{title}“', other: '{count} Antworten auf „{title}“' },
    }
    await writeFile(join(folder.path, 'de.json'), JSON.stringify(german))
    await using site = await serveWithUsers(filePlace, { plugins: { translations: { folder: folder.path } } })
    const browser = browse(site)
    const { link } = (await site.json('/svc/v2/posts?slug=hello'))[0] as { link: string }
    const shown = async () => {
      const paths = ['/nothing-here', link, '/svc-login']
      return (await Promise.all(paths.map(async (path) => (await browser.open(path)).text()))).join('\n')
    }
    const setLanguage = async (language: string) =>
      assert.is((await site.send('POST', '/svc/v2/settings', { language }, 'admin')).status, 200)
    // The second request is answered from the cache.
    for (let request = 0; request < 2; request += 1) {
      const english = await shown()
      for (const text of ['<h1 class="wp-block-heading">Page not found</h1>', 'Leave a reply', '<h1>Log in</h1>'])
        assert.match(english, text)
    }
    await setLanguage('de_DE')
    const translated = await shown()
    for (const text of [
      '<html lang="de-DE"',
      '<title>Seite nicht gefunden',
      '<h1 class="wp-block-heading">Hier ist &lt;nichts&gt;</h1>',
      'placeholder="Suchen &quot;hier&quot; --"',
      'Schreibe einen Kommentar',
      '<h1>Anmelden</h1>',
    ])
      assert.match(translated, text)
    assert.not.match(translated, 'Leave a reply')
    await setLanguage('en_US')
    assert.match(await shown(), 'Leave a reply')
  },
)

words('let users choose the shipped languages that the option lists', async () => {
  const status = async (languages: readonly string[], locale: string) => {
    await using site = await serveWithUsers(filePlace, { plugins: { translations: { languages } } })
    return (await site.send('POST', '/svc/v2/users/me', { locale }, 'ed')).status
  }
  assert.is(await status(['de', 'pt-BR'], 'de_DE'), 200)
  assert.is(await status(['de', 'pt-BR'], 'pt_BR'), 200)
  assert.is(await status(['de', 'pt-BR'], 'fr_FR'), 400)
  assert.is(await status([], 'de_DE'), 400)
})

words('ships complete catalogs', () => {
  const { texts, plurals } = JSON.parse(readFileSync(join(catalogs, '../texts.json'), 'utf8')) as ReturnType<
    typeof catalogTexts
  >['words']
  const keys = [...texts, ...Object.keys(plurals)].toSorted()
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}|%s/g) ?? [])].toSorted()
  const files = readdirSync(catalogs)
  assert.equal(files.toSorted(), ['de.json', 'es.json', 'fr.json', 'ja.json', 'pt-BR.json'])
  for (const file of files) {
    const catalog = JSON.parse(readFileSync(join(catalogs, file), 'utf8')) as Record<string, unknown>
    assert.equal(Object.keys(catalog).toSorted(), keys, file)
    const forms = new Intl.PluralRules(file.replace('.json', '')).resolvedOptions().pluralCategories.toSorted()
    for (const [key, value] of Object.entries(catalog)) {
      const isPlural = Object.hasOwn(plurals, key)
      if (isPlural) assert.equal(Object.keys(value as object).toSorted(), forms, `${file}: ${key}`)
      for (const [form, text] of Object.entries(isPlural ? (value as object) : { text: value })) {
        assert.type(text, 'string', `${file}: ${key}`)
        assert.ok((text as string).trim() !== '', `${file}: ${key}`)
        // The text of a single form may leave out the number: "One file".
        const found = placeholders(text as string)
        const mayOmit = isPlural && form !== 'other' && !found.includes('{count}')
        const expected = placeholders(key).filter((name) => !mayOmit || name !== '{count}')
        assert.equal(found, expected, `${file}: ${key}`)
      }
    }
  }
})

words.run()
