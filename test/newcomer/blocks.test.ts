import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { as, serve, type Site } from '../kit/index.ts'
import { PAGES, shellBlocks } from './blocks.ts'
import { EXPECTATIONS } from './expectations.ts'

const docs = suite('shell blocks of the docs')
const root = resolve(import.meta.dirname, '../..')
const HELLO = join(root, 'bin/create-svc-rest/templates/site/plugins/hello.ts')
const START = ['git clone REPOSITORY_URL svc-rest', 'cd svc-rest', 'npm ci && npm start']

const blocks = (await Promise.all(PAGES.map(shellBlocks))).flat()
const commands = new Set(blocks.flatMap((block) => block.commands))

docs('begin with the checkout on every page', () => {
  for (const page of PAGES) assert.equal(blocks.find((block) => block.page === page)?.commands, START, page)
})

docs('contain exactly the commands that npm run newcomer expects', () => {
  const unknown = blocks.flatMap(({ page, heading, commands }) =>
    commands.filter((command) => !Object.hasOwn(EXPECTATIONS, command)).map((command) => [page, heading, command]),
  )
  assert.equal(unknown, [], 'commands that test/newcomer/expectations.ts lacks')
  const unused = Object.keys(EXPECTATIONS).filter((command) => !commands.has(command))
  assert.equal(unused, [], 'commands of test/newcomer/expectations.ts that no page has')
})

docs('run in CI if npm run newcomer skips them', async () => {
  const ciExpectations = Object.entries(EXPECTATIONS).filter(([, { runsIn }]) => runsIn !== undefined)
  assert.equal(
    ciExpectations.map(([command]) => command),
    ['npm ci && npm test'],
  )
  for (const [command, { runsIn }] of ciExpectations) {
    const text = await readFile(join(root, runsIn!.file), 'utf8')
    const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
    assert.ok(
      lines.some((line) => runsIn!.line.test(line)),
      `${runsIn!.file} does not run ${command}`,
    )
  }
})

docs('contain curl commands that return the expected responses', async () => {
  await using site = await serve({ plugins: { [HELLO]: { greeting: 'Good morning' } } })
  await addPosts(site.store, { title: 'One', content: 'Two words' }, { title: 'Two', content: 'Two words' })
  const requests = [...commands].filter((command) => command.startsWith('curl '))
  assert.ok(requests.length > 5, `${requests.length} curl commands`)
  for (const command of requests) {
    const { status, text } = await sendCurl(site, command)
    const expected = EXPECTATIONS[command]
    assert.is(status, expected?.status ?? 200, `${command}: ${text}`)
    assert.match(text, expected?.prints ?? /./, command)
  }
})

/** Sends the request of a `curl` command to a site. A request with credentials is one by an administrator. */
async function sendCurl(site: Site, command: string): Promise<{ status: number; text: string }> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const valuesOf = (flag: string) => words.filter((_, index) => words[index - 1] === flag)
  const data = valuesOf('-d')
  const isHead = words.includes('-I')
  const response = await fetch(words.at(-1)!.replace('http://127.0.0.1:8080', site.home), {
    method: valuesOf('-X')[0] ?? (isHead ? 'HEAD' : data.length > 0 ? 'POST' : 'GET'),
    headers: valuesOf('-u').length > 0 ? as('administrator') : {},
    ...(data.length > 0 && { body: new URLSearchParams(data.join('&')) }),
  })
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  return { status: response.status, text: isHead ? headers.join('\n') : await response.text() }
}

docs.run()
