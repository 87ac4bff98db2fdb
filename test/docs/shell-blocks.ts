import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PAGES } from '../newcomer/blocks.ts'
import { type Block, blocksOf, GUIDES } from './blocks.ts'
import { type Site, startSite } from './example-site.ts'
import { EXAMPLES } from './pages.ts'

/**
 * Guides with shell commands, without the pages whose commands `npm run newcomer` runs. Each of three test files runs a
 * part of the alphabet, because the commands of all guides take minutes.
 */
export const SHELL_GUIDES = GUIDES.filter((page) => !(PAGES as readonly string[]).includes(page))

const SEPARATOR = '--- next block ---'

/** Runs a suite with the shell commands of the guides whose file names begin with one of these letters. */
export async function runShellBlocks(letters: RegExp): Promise<void> {
  const shell = suite(`shell commands of the guides ${letters.source}`)
  const pages = SHELL_GUIDES.filter((page) => letters.test(basename(page)[0]!))
  const blocks = (await Promise.all(pages.map(blocksOf))).flat().filter(({ language }) => language === 'sh')
  for (const page of new Set(blocks.map((block) => block.page))) {
    const own = blocks.filter((block) => block.page === page)
    shell(`work as printed: ${page}`, async () => {
      const { config = {}, files = {}, prints = [], failing = [], coveredBy = {}, prepare } = EXAMPLES.get(page) ?? {}
      assert.is(prints.length, own.length, `test/docs/pages/ lacks the expected output of a block of ${page}`)
      await using site = await startSite(config, files)
      const placeholders = {
        'abcd EFGH ijkl MNOP qrst UVWX': site.applicationPassword,
        PASSWORD: site.password,
        'http://127.0.0.1:8080': site.home,
        ...(await prepare?.(site)),
      }
      const fillPlaceholders = (text: string) =>
        Object.entries(placeholders).reduce((result, [from, to]) => result.replaceAll(from, to), text)
      const scripts = own.map(({ code }, index) => {
        if (Object.hasOwn(coveredBy, index) || startsServer(code)) return ''
        return failing.includes(index) ? `set +e\n${fillPlaceholders(code)}\ntrue` : `set -e\n${fillPlaceholders(code)}`
      })
      // One script, so that the blocks share variables.
      const login = `login='admin:${site.applicationPassword}'`
      const { output, code } = await site.shell(`${login}\n${scripts.join(`\necho '${SEPARATOR}'\n`)}`)
      const outputs = output.split(`${SEPARATOR}\n`)
      assert.is(code, 0, `${page}: ${output}`)
      for (const [index, block] of own.entries()) {
        if (Object.hasOwn(coveredBy, index)) continue
        const printed = startsServer(block.code)
          ? await outputOfServers(site, fillPlaceholders(block.code))
          : outputs[index]!
        assert.match(printed, prints[index]!, `${page}:${block.line}: ${printed}`)
      }
    })
  }
  shell.run()
}

function startsServer(code: Block['code']): boolean {
  return /\bsvc-serve\b/.test(code)
}

/** Runs each line, which starts a server; stops the server as soon as it serves. Returns the output of all. */
async function outputOfServers(site: Site, code: string): Promise<string> {
  let output = ''
  for (const line of code.split('\n').filter((text) => text.trim() !== '')) {
    const script = `PATH="$PWD/node_modules/.bin:$PATH" && ${line.replace(/\bsvc-serve\b/, '$& --port 0 --database sqlite::memory:')}`
    const child = spawn('sh', ['-c', script], { cwd: site.folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        if (/^Serving \S+/m.test(printed) && child.exitCode === null) process.kill(-child.pid!, 'SIGINT')
      })
    }
    await once(child, 'close')
    assert.match(printed, /^Serving \S+/m, `${line}: ${printed}`)
    output += printed
  }
  return output
}
