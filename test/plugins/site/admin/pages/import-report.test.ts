import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportState, LiveReport } from '../../../../../plugins/operations/importer/index.ts'
import { ERROR_TEXTS } from '../../../../../plugins/operations/importer/error-texts.ts'
import { errors } from '../../../../../plugins/operations/importer/errors.ts'
import { gapOf } from '../../../../../plugins/operations/importer/live/gap.ts'
import { NOTES } from '../../../../../plugins/operations/importer/notes.ts'
import { REASONS, type NoteText } from '../../../../../plugins/operations/importer/phrases.ts'
import { REPAIRS, type RepairCode } from '../../../../../plugins/operations/importer/repairs.ts'
import { Counters } from '../../../../../plugins/operations/importer/report.ts'
import { PAGE_TEXTS } from '../../../../../plugins/site/admin/pages/import/phrases.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse } from '../../../../helpers/browser.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'
import { garden } from '../../../operations/importer/importing.ts'
import { catalogOf, englishTexts, reportTexts, root, shownText } from './report-texts.ts'

const importer = join(root, 'plugins/operations/importer')
const report = suite('the texts of import reports')

report('have a translation in each catalog', () => {
  for (const language of ['de', 'es', 'fr', 'ja', 'pt-BR']) {
    const catalog = catalogOf(language)
    const missing = reportTexts.map(shownText).filter((text) => (catalog[text] ?? '') === '')
    assert.equal(missing, [], language)
    // The names of fields are those that the page shows.
    for (const text of Object.values(PAGE_TEXTS)) {
      for (const [, label = ''] of text.matchAll(/“([^”]+)”/g))
        assert.ok(catalog[text]!.includes(catalog[label]!), `${language}: ${text}`)
    }
  }
})

report('are all used by the importer', () => {
  const sources = globSync('**/*.ts', { cwd: importer })
    .filter((file) => !['phrases.ts', 'notes.ts', 'repairs.ts', 'error-texts.ts'].includes(file))
    .map((file) => readFileSync(join(importer, file), 'utf8'))
    .join('\n')
  const used = (text: string) => {
    // Texts of terms and comments.
    const common = text.replace(/^(?:term|comment) that was/, '${name} that was')
    return [`'${text}'`, `\`${common}\``, `errors.${text}(`].some((literal) => sources.includes(literal))
  }
  const texts = [...REASONS, ...Object.keys(NOTES), ...Object.keys(REPAIRS), ...Object.keys(ERROR_TEXTS)]
  assert.equal(
    texts.filter((text) => !used(text)),
    [],
  )
})

report('name no flags and commands of the shell on the page', () => {
  assert.equal(
    reportTexts.map(shownText).filter((text) => /--|\bsvc\b/.test(text)),
    [],
  )
})

report('are all translated on the page, with their values', async () => {
  await using here = await german()
  const page = await here.shows(everyText())
  assert.equal(englishTexts(page), [])
  for (const text of [
    'unbekanntes Element &#60;Vname&#62;',
    'erfordert einen Benutzer mit der Berechtigung Vcapability (Status 403)',
    'Seiten: nur Vcount von Vtotal wurden gelesen: die Antwort ist leer',
    'Revisionen (Seiten: Vcount)',
    'b.xml, Zeile 12, A post',
    'Metaschlüssel _price: 2',
    'Einträge (event): 1 × ohne Schlüssel',
  ])
    assert.match(page, text)
  assert.not.match(page, /(?<!svc-import )--[a-z]/)
})

report('are shown in English if an earlier version has stored them without their values', async () => {
  await using here = await german()
  const { counts, gaps, ...rest } = everyText()
  for (const count of Object.values(counts)) delete count.phrases
  const old = gaps.map(({ subject, reason }) => ({ subject, reason }))
  const page = await here.shows({ ...rest, counts, gaps: old })
  assert.match(page, 'unknown element &#60;Vname&#62;')
  assert.match(page, 'passwords of users: passwords of users')
  assert.match(page, 'ohne Schlüssel')
})

report('of a damaged file are translated', async () => {
  await using here = await german()
  const { importRuns } = here.site.kernel.services
  const text = await readFile(garden, 'utf8')
  const damaged = text
    .replace('<rss', 'junk <rss')
    .replaceAll(/<wp:post_date_gmt>[^<]*/g, '<wp:post_date_gmt>2020-02-30 10:00:00')
    .replaceAll(/<wp:status>[^<]*/g, '<wp:status>odd & <b>status')
    .replace('<wp:post_type>post', '<wp:post_type>')
    .replaceAll('<wp:comment_approved>', '<wp:comment_approved>9')
    .replace(/<\/rss>\s*$/, '</rss> more')
  assert.not.equal(damaged, text)
  await importRuns.start({ name: 'damaged.xml', wxr: Buffer.from(damaged) })
  await until(async () => (await importRuns.state())?.status !== 'running')
  const state = (await importRuns.state())!
  assert.is(state.status, 'done', state.error)
  assert.ok(state.report!.repairs.length > 5)
  assert.equal(englishTexts(await here.page()), [])
})

report('of failed imports are translated', async () => {
  await using here = await german()
  const { importRuns } = here.site.kernel.services
  const failsWith = async (wxr: string, expected: RegExp) => {
    await importRuns.start({ name: 'a.xml', wxr: Buffer.from(wxr) })
    await until(async () => (await importRuns.state())?.status !== 'running')
    const page = await here.page()
    assert.match(page, expected)
    assert.equal(englishTexts(page), [])
  }
  await failsWith('<rss><channel>', /Die Exportdatei ist in Zeile 1, Spalte \d+ abgeschnitten/)
  await failsWith(
    '<html></html>',
    /keine gültige Exportdatei: ihr Wurzelelement ist &#60;html&#62;, nicht &#60;rss&#62;/,
  )
  const { response, text } = await sendForm(here.admin, '/svc-admin/import', {
    do: 'probe',
    live_url: 'http://10.1.2.3',
  })
  assert.is(response.status, 400)
  assert.match(text, 'Die alte Website ist nicht erreichbar: ')
  assert.match(text, 'Importiere noch einmal')
})

report('of all errors are translated', async () => {
  await using here = await german()
  for (const [code, [, text]] of Object.entries(ERROR_TEXTS)) {
    const values = Object.fromEntries(
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'the file is empty']),
    )
    const { message, phrase } = errors[code as 'IMPORT_IN_FILE'](
      values as { name: string; reason: 'the file is empty' },
    )
    const page = await here.shows(null, { status: 'failed', error: message, errorPhrase: phrase })
    const own = englishTexts(page.replaceAll('the file is empty', ''))
    assert.equal(own, [], code)
    if (text.includes('{reason}')) assert.match(page, 'die Datei ist leer')
  }
})

/** Creates a report that has each text. */
function everyText(): LiveReport {
  const counters = new Counters()
  const phraseOf = (text: string) => ({
    text: text as (typeof REASONS)[number],
    values: Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, valueOf(name)])),
  })
  const valueOf = (name: string) =>
    name === 'reason'
      ? ({ text: 'status {status}', values: { status: 403 } } as const)
      : name === 'kind'
        ? 'page items'
        : `V${name}`
  for (const text of REASONS) counters.skipped('page items', phraseOf(text))
  counters.skipped('event items', 'without a key')
  for (const text of Object.keys(NOTES) as NoteText[]) counters.note(text, 'x', 1, phraseOf(text).values)
  for (const code of Object.keys(REPAIRS) as RepairCode[])
    counters.repaired(code, { file: 'b.xml', line: 12, item: 'A post', value: 'x' })
  const only = { text: 'the response is empty' } as const
  const ofPages = phraseOf('only {count} of {total} were read: {reason}')
  return {
    from: 'https://old.example',
    to: 'https://new.example',
    bytes: 1,
    seconds: 1,
    ...counters.results(),
    unserved: [{ kind: 'meta', name: '_price', count: 2 }],
    since: null,
    deleted: [],
    requests: 1,
    gaps: [
      ...REASONS.map((text) => gapOf(phraseOf(text), phraseOf(text))),
      gapOf('page items', { ...ofPages, values: { ...ofPages.values, reason: only } }),
    ],
    comparison: {
      routes: [],
      differences: REASONS.map((reason) => ({
        route: '/svc/v2/pages',
        field: 'title',
        reason,
        explained: true,
        count: 1,
        examples: ['x'],
      })),
    },
  }
}

/** Serves a site with an administrator who reads German. */
async function german() {
  const uploads = await mkdtempDisposable(join(tmpdir(), 'svc-report-'))
  const site = await serveWithUsers(filePlace, {
    uploads: uploads.path,
    plugins: { translations: { languages: ['de'] } },
  })
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  assert.is((await site.send('POST', '/svc/v2/users/me', { locale: 'de_DE' }, 'admin')).status, 200)
  const page = async () => (await admin.open('/svc-admin/import')).text()
  return {
    site,
    admin,
    page,
    /** Shows a stored report, or an error. */
    async shows(stored: LiveReport | null, other: Partial<ImportState> = {}): Promise<string> {
      const folder = join(uploads.path, '.imports')
      await mkdir(folder, { recursive: true })
      const state = { status: 'done', name: 'a.xml', bytes: 1, started: 1, progress: { bytes: 1, items: 1 } }
      await writeFile(
        join(folder, 'state.json'),
        JSON.stringify({ ...state, owner: '', beat: 1, ...(stored !== null && { report: stored }), ...other }),
      )
      return page()
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await uploads[Symbol.asyncDispose]()
    },
  }
}

report.run()
