// Mistakes of plugin authors, and the messages of svc-serve: errors that stop the start, or warnings in the log.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failureText } from '../../bin/commands/failure.ts'
import { startSite } from '../../bin/commands/site.ts'
import { createLog, loadConfig } from '../../bin/config/index.ts'
import { accepted } from '../fixtures/mistakes/accepted.ts'
import { definitions } from '../fixtures/mistakes/definitions.ts'
import { hooks } from '../fixtures/mistakes/hooks.ts'
import type { Mistake } from '../fixtures/mistakes/mistake.ts'
import { modules } from '../fixtures/mistakes/modules.ts'
import { paths } from '../fixtures/mistakes/paths.ts'
import { contents, plugins } from '../fixtures/mistakes/plugins.ts'
import { registries } from '../fixtures/mistakes/registries.ts'
import { routes } from '../fixtures/mistakes/routes.ts'
import { schemas } from '../fixtures/mistakes/schemas.ts'
import { twice } from '../fixtures/mistakes/twice.ts'
import { warnings } from '../fixtures/mistakes/warnings.ts'
import { withTables } from '../kit/database-image.ts'
import { defaults } from '../../plugins/index.ts'

const mistakes = suite('mistakes')

/** A line of the log. */
interface Line {
  readonly msg: string
  readonly at?: string
  readonly plugin?: string
  readonly err?: { readonly message: string }
}

/** Returns the error of the start, or else the warnings in the log, one line each with their place. */
async function messageFor({ files, config = {}, ask }: Mistake): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mistakes-'))
  const lines: string[] = []
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    const plugins = Object.hasOwn(files, 'garden.mjs') ? { './garden.mjs': true, ...config } : config
    if (!Object.hasOwn(files, 'svc.config.json')) {
      const whole = { database: 'sqlite::memory:', plugins: { 'first-run': false, ...plugins } }
      await writeFile(join(folder, 'svc.config.json'), JSON.stringify(whole))
    }
    const log = createLog('warn', { write: (line: string) => void lines.push(line) })
    const loaded = await loadConfig({ folder, env: {} })
    await using site = await withTables(defaults, loaded.database, () => startSite(loaded, log))
    if (ask !== undefined) await fetch(`${await site.listen(0)}/svc-json${ask}`)
  } catch (error) {
    // Without a mistake in the plugin, the place is in this file, which starts the site.
    return failureText(error)
      .replaceAll(folder, '')
      .replace(/ \([^()]*mistakes\.long\.test\.ts:\d+:\d+\)$/, '')
  } finally {
    await rm(folder, { recursive: true })
  }
  const logged = lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg !== 'responded with an error')
  const texts = logged.map(({ msg, at, plugin, err }) => {
    return `${plugin}: ${err?.message ?? msg}${at === undefined ? '' : ` (${at})`}`
  })
  return texts.join('\n').replaceAll(folder, '')
}

const all = [
  definitions,
  modules,
  plugins,
  hooks,
  routes,
  paths,
  schemas,
  registries,
  contents,
  warnings,
  twice,
  accepted,
].flat()
for (const mistake of all) {
  mistakes(`cause a message with advice: ${mistake.what}`, async () => {
    assert.is(await messageFor(mistake), mistake.message)
  })
}

mistakes.run()
