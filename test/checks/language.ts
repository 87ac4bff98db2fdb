// npm run check:language: counts patterns that make prose hard to read, and fails if a group of texts has more of them
// per 10,000 words than allowed. Limits are about twice the highest rates of the documentation of Fastify, webpack,
// Kysely, Payload, Directus and Strapi. `-- --worst 20` also lists the texts with the most patterns; paths limit the
// check to them.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

interface Pattern {
  readonly name: string
  readonly regex: RegExp
  /** Occurrences allowed per 10,000 words. */
  readonly limit: number
  readonly advice: string
}

/** A text for readers, with its position. */
interface Text {
  readonly text: string
  readonly file: string
  readonly line: number
}

const PATTERNS: readonly Pattern[] = [
  {
    name: 'nobody, anybody, somebody, everybody',
    regex: /\b(?:nobody|anybody|somebody|everybody)\b/gi,
    limit: 1,
    advice: 'name the subject: no client, any user',
  },
  {
    name: 'clauses without a noun: "what is …"',
    regex:
      /\bwhat (?:is|was|are|were|has|had|have|it|they|others|a|an|the|plugins?|users?|clients?|readers?|caches?)\b/gi,
    limit: 15,
    advice: 'name the thing: the value, the cached response',
  },
  { name: 'those who/that/of/which', regex: /\bthose (?:who|that|of|which)\b/gi, limit: 2, advice: 'name the things' },
  {
    name: 'tell',
    regex: /\b(?:tell|tells|told|telling)\b/gi,
    limit: 3,
    advice: 'log, report, notify, return, document',
  },
  {
    name: 'whoever, whatever, whichever, wherever',
    regex: /\b(?:whoever|whatever|whichever|wherever)\b/gi,
    limit: 4,
    advice: 'every user, any value',
  },
  {
    name: '"who …" as a noun',
    regex: /(?:^|[.;:,(] )who (?:is|has|may|can|asks?|does|sends?|wants?|left|guesses|writes?|reads?|changes?)\b/gi,
    limit: 2,
    advice: 'the user who, a client that',
  },
  {
    name: 'beside, behind, anew, meanwhile, under way',
    regex: /\b(?:beside|behind|anew|meanwhile|under way)\b/gi,
    limit: 4,
    advice: 'next to, after, again, in the meantime, in progress',
  },
  {
    name: 'any more, no more, at once',
    regex: /\b(?:any more|no more|at once)\b/gi,
    limit: 6,
    advice: 'no longer, immediately, at the same time',
  },
  {
    name: 'sentences that begin with "Has" or "Lets"',
    regex: /(?:^|[.;] )(?:Has|Have|Lets?) (?:a|an|the|its|what|all|items|taps|plugins|responses|hooks|those|others)\b/g,
    limit: 3,
    advice: 'runs, creates, allows',
  },
  { name: 'is none', regex: /\b(?:is|are|was|were) none\b/gi, limit: 1, advice: 'is not a …, is missing' },
]

/** Groups of texts with fewer words are too small for a rate. */
const MIN_WORDS = 200

const { values, positionals } = parseArgs({ options: { worst: { type: 'string' } }, allowPositionals: true })
const worst = Number(values.worst ?? 0)
const sources = positionals.length > 0 ? positionals : ['kernel', 'plugins', 'bin']
const pages = positionals.length > 0 ? positionals : ['docs', '*.md']
const suites = positionals.length > 0 ? positionals : ['test', 'docs/examples']

const GROUPS: Readonly<Record<string, () => Promise<Text[]>>> = {
  comments: () => textsIn(filesIn(sources, '.ts'), commentsOf),
  docs: () => textsIn(filesIn(pages, '.md'), proseOf),
  'names of tests': () => textsIn(filesIn(suites, '.test.ts'), testNamesOf),
  messages: () => textsIn(filesIn(sources, '.ts'), messagesOf),
  labels: () => textsIn(filesIn(sources, 'texts.json'), labelsOf),
}

for (const [group, read] of Object.entries(GROUPS)) report(group, await read())

function report(group: string, texts: readonly Text[]): void {
  const words = texts.reduce((sum, { text }) => sum + (text.match(/[A-Za-z']+/g) ?? []).length, 0)
  if (words < MIN_WORDS) return
  const hits = new Map<Text, number>()
  for (const { name, regex, limit, advice } of PATTERNS) {
    let count = 0
    for (const text of texts) {
      const found = text.text.match(regex)?.length ?? 0
      count += found
      if (found > 0) hits.set(text, (hits.get(text) ?? 0) + found)
    }
    const rate = (count * 10_000) / words
    if (rate <= limit) continue
    process.exitCode = 1
    console.log(`${group}: ${name}: ${rate.toFixed(1)} in 10,000 words, ${limit} allowed. Write: ${advice}.`)
  }
  const sorted = [...hits].toSorted(([, one], [, other]) => other - one)
  for (const [{ text, file, line }] of sorted.slice(0, worst)) console.log(`  ${file}:${line}  ${text.slice(0, 160)}`)
  console.log(`${group}: ${words} words`)
}

function filesIn(paths: readonly string[], ending: string): string[] {
  const files = execFileSync('git', ['ls-files', ...paths], { encoding: 'utf8' }).split('\n')
  return files.filter((file) => file.endsWith(ending) && existsSync(file))
}

async function textsIn(
  files: readonly string[],
  read: (source: string) => [text: string, index: number][],
): Promise<Text[]> {
  const texts = await Promise.all(
    files.map(async (file) => {
      const source = await readFile(file, 'utf8')
      return read(source).map(([text, index]) => ({ text, file, line: source.slice(0, index).split('\n').length }))
    }),
  )
  return texts.flat()
}

/** Reads block comments, and comments that have lines to themselves. */
function commentsOf(source: string): [string, number][] {
  const blocks = [...source.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map((found): [string, number] => [
    found[1]!.replace(/\n\s*\*\s?/g, ' ').trim(),
    found.index,
  ])
  return [
    ...blocks,
    ...[...source.matchAll(/^\s*\/\/\s?(.*)$/gm)].map((found): [string, number] => [found[1]!, found.index]),
  ]
}

/** Reads the lines of a page without its code. */
function proseOf(source: string): [string, number][] {
  const prose = source
    .replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => 'X'.padEnd(code.length))
  return [...prose.matchAll(/^.*\S.*$/gm)].map((found) => [found[0], found.index])
}

function testNamesOf(source: string): [string, number][] {
  const names = source.matchAll(/^\s*\w+(?:\.only)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1\s*,\s*(?:async )?\(/gm)
  return [...names].map((found) => [found[2]!, found.index])
}

/** Reads string literals that begin with a capital letter and have at least three words. */
function messagesOf(source: string): [string, number][] {
  return [...source.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)]
    .filter(([, , text = '']) => /^[A-Z].* .* /.test(text))
    .map((found) => [found[2]!, found.index])
}

function labelsOf(source: string): [string, number][] {
  return [...source.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => [found[1]!, found.index])
}
