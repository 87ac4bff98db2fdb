import { parseArgs } from 'node:util'
import type { PreloadEntry } from '../../plugins/responses/preload.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { switchedOff, unknownUser } from './failure.ts'
import { startSite } from './site.ts'

const USAGE = `Usage: svc preload [FLAGS] PATH…

Prints the response to GET for each path below the root of the REST API: body and headers, by path. Paths whose
response has another status than 200 are left out.

  PATH                  /svc/v2/posts?per_page=2, or OPTIONS:/svc/v2/posts, or as JSON ["/svc/v2/posts", "OPTIONS"]
  --user N              Asks as the user with this ID; by default as a visitor.

It takes the flags of svc-serve:

${configUsage()}`

/** Runs `svc preload`: dispatches requests to the site inside the process. Resolves with the exit code. */
export async function preload(argv: readonly string[]): Promise<number> {
  const options = { ...configFlags, user: { type: 'string' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options })
  if (values['help'] === true || positionals.length === 0) {
    const print = values['help'] === true ? console.log : console.error
    print(USAGE)
    return values['help'] === true ? 0 : 1
  }
  const entries = positionals.map(readEntry)
  await using kernel = await startSite(await configFrom(values))
  const { users, preload: ask } = kernel.services
  const id = values['user']
  const user = id === undefined ? undefined : await users.current(Number(id))
  if (id !== undefined && user === undefined) throw unknownUser(id)
  if (ask === undefined) throw switchedOff('preload')
  console.log(JSON.stringify(await ask(entries, user), null, 2))
  return 0
}

/** An entry as it is written on a command line. */
function readEntry(text: string): PreloadEntry {
  if (!text.startsWith('[')) return text.startsWith('OPTIONS:') ? [text.slice('OPTIONS:'.length), 'OPTIONS'] : text
  const entry: unknown = JSON.parse(text)
  if (!Array.isArray(entry) || entry.length !== 2 || !entry.every((part) => typeof part === 'string')) {
    throw new Error(`${text} is no list of a path and a method.`)
  }
  return entry as unknown as PreloadEntry
}
