import { unregistered } from '../helpers/growth-check.ts'
import { growthFailures } from '../helpers/growth-shapes.ts'
import { xssFindings } from '../xss/findings.ts'
import { addUsers } from './users.ts'
import type { Report } from './report.ts'
import { makeSite, startServer } from './server.ts'

/** Seed and number of the hostile texts, and database. */
export interface TextOptions {
  seed: number
  texts: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

/** Writes hostile texts into all fields as contributor and author, and searches pages for code that a browser would run. */
export async function xss(report: Report, { seed, texts, server: postgres }: TextOptions): Promise<void> {
  const line = report.line(
    'xss',
    `texts of contributors and authors in every field, ${postgres ? 'PostgreSQL' : 'SQLite'}`,
  )
  await using site = await makeSite({ server: postgres })
  const users = await addUsers(site)
  await using server = await startServer(site)
  const found = await xssFindings(
    {
      home: server.home,
      request: (path, init) => fetch(`${server.root}${path}`, init),
      by: { contributor: users.by('contributor'), author: users.by('author'), editor: users.by('editor') },
    },
    { seed, count: texts },
  )
  line.times = found.texts
  line.note = `${found.fields.toLocaleString('en-US')} fields read`
  for (const { location, text, html, problems } of found.findings) {
    line.broken.push(
      `${problems.join(', ')} in ${location}, --seed ${seed}: ${JSON.stringify(text)} became ${JSON.stringify(html)}`,
    )
  }
}

/** Reports text functions that take superlinear time, and unregistered text functions. */
export async function growth(report: Report, { seed, texts }: TextOptions): Promise<void> {
  const line = report.line('growth', 'texts that are slow to process, at twice the length')
  const { tried, failures } = await growthFailures({ seed, rounds: Math.ceil(texts / 100), size: 8192 })
  line.times = tried
  line.broken.push(...failures.map((failure) => `${failure} (--seed ${seed})`), ...unregistered())
}
