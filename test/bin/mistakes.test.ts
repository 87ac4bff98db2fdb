// Mistakes that authors of plugins make, and what they are told: by svc-serve as it does not start, or by its log.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failureText } from '../../bin/commands/failure.ts'
import { startSite } from '../../bin/commands/site.ts'
import { createLog, loadConfig } from '../../kernel/host.ts'
import { definitions } from '../fixtures/mistakes/definitions.ts'
import { hooks } from '../fixtures/mistakes/hooks.ts'
import type { Mistake } from '../fixtures/mistakes/mistake.ts'
import { registries } from '../fixtures/mistakes/registries.ts'
import { routes } from '../fixtures/mistakes/routes.ts'
import { warnings } from '../fixtures/mistakes/warnings.ts'

const mistakes = suite('mistakes')

/** What the author is told: why the site does not start, else the warnings of its log, a line each with their place. */
async function told({ files, config = {} }: Mistake): Promise<string> {
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
    await using _site = await startSite(await loadConfig({ folder, env: {} }), log)
  } catch (error) {
    // Who starts a site is no author of a plugin.
    return failureText(error)
      .replaceAll(folder, '')
      .replace(/ \(\S*mistakes\.test\.ts:\d+:\d+\)$/, '')
  } finally {
    await rm(folder, { recursive: true })
  }
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; at?: string; plugin?: string })
  const texts = logged.map(({ msg, at, plugin }) => `${plugin}: ${msg}${at === undefined ? '' : ` (${at})`}`)
  return texts.join('\n').replaceAll(folder, '')
}

for (const mistake of [...definitions, ...hooks, ...routes, ...registries, ...warnings]) {
  mistakes(`say what to do: ${mistake.what}`, async () => {
    assert.is(await told(mistake), mistake.message)
  })
}

mistakes.run()
