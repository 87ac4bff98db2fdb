// Texts that are made to be slow, and what finds the functions that take more than in proportion for them. `npm run
// test:long` tries a few texts for each function of the registry, the audit as many as it has time for.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { REGISTRY, type TextWork } from './growth-registry.ts'
import { randomOf } from './random.ts'

export interface GrowthOptions {
  /** Makes the same texts each time. */
  seed: number
  /** Texts of mixed parts for each piece of work, beside those of one part repeated. */
  rounds?: number
  /** Characters that are begun with. */
  size?: number
  /** Functions of texts; those of the registry by default. */
  works?: Readonly<Record<string, GrowthWork>>
  /** Milliseconds that a text of the first size may take without being looked at closer. */
  unseen?: number
}

/** A function of a text, and the parts of texts that it looks for. */
export interface GrowthWork {
  work: TextWork
  /** Parts besides those that all functions are tried with. */
  parts?: readonly string[]
}

export interface GrowthResult {
  /** How many texts have been tried. */
  tried: number
  /** What took longer than in proportion: the work, the text, the milliseconds of two sizes. */
  failures: string[]
}

/** How many times as long a text of twice the size may take. */
const LIMIT = 2.5
/** How often a text is doubled. */
const DOUBLINGS = 3
/** How often two sizes are measured before the longer counts as too slow. */
const TRIES = 3
const SIZE = 4096
/** Characters of texts that are tried first: what doubles with each character would not come to an end for longer ones. */
const SHORT_SIZES = [16, 24, 32, 48, 64, 128]
/** Milliseconds that these may take. */
const MAX_SHORT_MS = 30

/** Parts that texts are made of, by what they are parts of: what begins something, what ends it, and what neither does. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  space: [' ', '\n', '\n\n', '\t', '\r\n', '\u00a0', 'a', 'a ', ' \n', '\u200b', '\u2028', '\ufeff'],
  text: [
    'é',
    '1',
    '1x',
    '1,',
    '.',
    '..',
    '...',
    '-',
    '--',
    '- ',
    '_',
    ',',
    ';',
    ':',
    '/',
    '//',
    '\\',
    '\\"',
    "'",
    '"',
    "' ",
    '" ',
    "'a",
    '"a',
    '``',
    "''",
    '(tm)',
    'x',
    '2x2',
    '(',
    ')',
    '{',
    '}',
    '!',
    '?',
    '#',
    '=',
    '+',
    '*',
    '|',
    '~',
    '`',
    '$',
    '^',
  ],
  code: [
    '&',
    '&amp',
    '&amp;',
    '&#',
    '&#8217;',
    '&nbsp;',
    '%',
    '%e2',
    '%e2%82',
    '%41',
    '%%4',
    '\\u003c',
    '\u0000',
    '\u0001',
    '\ud800',
    '👍',
    '👩‍👩‍👧',
    '🏴\u{e0067}',
    '\u0301',
    '\u0327',
    '\u0301\u0327',
    'a\u0300',
    'ß',
    'Σ',
    'İ',
    'ＡＡ',
    '한',
    '\u1100\u1161',
  ],
  url: [
    '@',
    'a@',
    'a@a.',
    '://',
    'http://',
    'http://a.b/ ',
    'https://a.b/(',
    'www.',
    ':)',
    ' :) ',
    ':-',
    'a=1&',
    'a[b]=1&',
    'a[',
    '=?',
    'Basic ',
    'password=',
    '"password":"',
    '; filename=',
    'filename="',
    'http:\\/\\/a.b\\/',
  ],
  shortcode: [
    '[',
    ']',
    '[[',
    ']]',
    '[caption',
    '[caption ',
    '[caption]',
    '[/caption]',
    '[gallery',
    '[gallery]',
    '[gallery ids="1,2"]',
    '[a ',
    '[a "',
    "[a ']",
    '[a]',
    '[/a]',
    '[[a]',
    '[a /]',
    '[a x="',
    '"]',
    "']",
    ' ',
  ],
  element: [
    '<',
    '>',
    '</',
    '<p',
    '<p>',
    '</p>',
    '<p ',
    '<a ',
    '<a href="',
    '<a b="c" ',
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '<br>',
    '<br />',
    '<div>',
    '</div>',
    '<pre>',
    '</pre>',
    '<code>',
    '</code>',
    '<blockquote>',
    '<li>',
    '</li>',
    '<ul>',
    '<h2>',
    '<table>',
    '<td>',
    '</td>',
    '<figcaption>',
    '<img ',
    '<img src="a">',
    '<script>',
    '</script>',
    '<style>',
    '<textarea>',
    '<object>',
    '<div class="',
    'style="',
    'color:',
    'url(',
    'rgb(',
    '/*',
    '*/',
    ';',
    '"',
    "'",
    '=',
    'a',
    '\n',
    '\n\n',
    ' ',
  ],
  comment: [
    '<!',
    '<!-',
    '<!--',
    '-->',
    '--!>',
    '<!-- a -->',
    '<!-- wp:x -->',
    '<!-- /wp:x -->',
    '<!-- wp:x {"a":"',
    '<!-- wp:x /-->',
    '<!-- wp:group -->',
    '<!-- /wp:group -->',
    '<!-- wp:',
    '{"a":',
    '}',
    '[',
    ']',
    '<!--more-->',
    '<!--nextpage-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '<p>',
    '\n',
    ' ',
    'a',
    '-',
  ],
  markdown: [
    '# ',
    '## a\n',
    '- ',
    '* ',
    '1. ',
    '> ',
    '    ',
    '\t',
    '![',
    '[a](',
    '[a]',
    '[a]: b\n',
    '](',
    ')',
    '**',
    '__',
    '*a ',
    '***a',
    '~~',
    '`',
    '```',
    '```\n',
    '---\n',
    'a|',
    '-|',
    '|\n',
    '<a ',
    '<!--',
    '\\',
    '\n',
    '\n\n',
    ' ',
    'a',
  ],
  css: [
    '{',
    '}',
    ';',
    ':',
    '(',
    ')',
    'url(',
    'url("',
    'var(',
    'var:preset|color|',
    '@media ',
    '@import ',
    '/*',
    '*/',
    '!important',
    'a{b:c}',
    '#',
    '.',
    ',',
    ', ',
    '\\',
    '"',
    "'",
    'expression(',
    'javascript:',
    ' ',
    '\n',
    'a',
  ],
  xml: [
    '<rss>',
    '<item>',
    '</item>',
    '<entry>',
    '</entry>',
    '<link ',
    '<link href="',
    '<link rel="',
    '<title>',
    '</title>',
    '<a:b>',
    '<![CDATA[',
    ']]>',
    '<?xml ',
    '<!DOCTYPE ',
    '<!ENTITY ',
    '&a;',
    '<item',
    '<entry',
    'href="',
    '"',
    "'",
    '/>',
    '>',
    ' ',
    'a',
  ],
  header: [
    'W/"',
    '"a", ',
    'bytes=',
    '0-1,',
    'q=',
    ';q=0.5, ',
    ', ',
    ',',
    ';',
    '=',
    '"',
    '\\"',
    ' ',
    'a',
    "utf-8''",
    'Basic ',
    'T00:',
  ],
  value: ['i:1;', 's:1:"', 'a:1:{', 'O:', 'N;', '"', ';', '}', ':', '1'],
}

const PARTS: readonly string[] = [...new Set(Object.values(FAMILIES).flat())]

/** A text of about a size. */
interface Shape {
  name: string
  of: (size: number) => string
}

/** What is known of each of them: `A^n`. */
const repeated = (part: string): Shape => ({
  name: `${told(part)}^n`,
  of: (size) => part.repeat(Math.ceil(size / part.length)),
})

/** Different parts, so that nothing that was looked up before is found again: `A1 A2 A3 …`. */
const numbered = (part: string): Shape => ({
  name: `${told(part)}1…n`,
  of: (size) => Array.from({ length: Math.ceil(size / (part.length + 4)) }, (_, index) => `${part}${index} `).join(''),
})

/** Mixtures of two or three parts, in one of several ways. */
const MIXTURES: readonly ((a: string, b: string, c: string) => Shape)[] = [
  (a, b) => ({ name: `(${told(a)} ${told(b)})^n`, of: (size) => fill(a + b, size) }),
  (a, b) => ({ name: `${told(a)}^n ${told(b)}^n`, of: (size) => fill(a, size / 2) + fill(b, size / 2) }),
  (a, b, c) => ({ name: `${told(b)} ${told(a)}^n ${told(c)}`, of: (size) => b + fill(a, size) + c }),
  (a, b, c) => ({ name: `(${told(a)} ${told(b)} ${told(c)})^n`, of: (size) => fill(a + b + c, size) }),
  (a, b, c) => ({
    name: `(${told(a)} ${told(b)})^n ${told(c)}^n`,
    of: (size) => fill(a + b, size / 2) + fill(c, size / 2),
  }),
  (a, b, c) => ({
    name: `${told(c)} ${told(a)}^n ${told(b)}^n ${told(a)}^n`,
    of: (size) => c + fill(a, size / 3) + fill(b, size / 3) + fill(a, size / 3),
  }),
  (a, b, c) => ({
    name: `(${told(a)} ${told(c)}^√n ${told(b)})^√n`,
    of: (size) => fill(a + c.repeat(Math.ceil(Math.sqrt(size) / c.length)) + b, size),
  }),
]

function fill(part: string, size: number): string {
  return part.repeat(Math.max(Math.ceil(size / part.length), 1))
}

function told(part: string): string {
  return JSON.stringify(part).slice(1, -1).replaceAll(' ', '␠')
}

/**
 * Every text of one part repeated, and `rounds` of several parts, mostly of one family, of which a seed decides.
 * @param own parts of a function, a family of their own that is used for half of the rounds
 */
export function shapesOf(seed: number, rounds: number, own: readonly string[] = []): Shape[] {
  const random = randomOf(seed)
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const mixed = Array.from({ length: rounds }, () => {
    const family = own.length > 0 && random() < 0.5 ? own : FAMILIES[any(Object.keys(FAMILIES))]!
    const part = () => any(random() < 0.8 ? family : PARTS)
    return any(MIXTURES)(part(), part(), part())
  })
  const parts = [...new Set([...PARTS, ...own])]
  return [...parts.map(repeated), ...[...own, ' ', 'a'].map(numbered), ...mixed]
}

/** Parts of a function that are tried, the shortest first. */
const MAX_OWN_PARTS = 60

/** What the source text of a module looks for: its short strings, and the literal letters of its regular expressions. */
export function partsIn(source: string): string[] {
  const code = source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|^import [^]*?'\n/gm, '')
  const strings = [...code.matchAll(/'((?:[^'\\\n]|\\.){1,12})'/g)].map(([, text = '']) => text.replaceAll('\\n', '\n'))
  const expressions = [...code.matchAll(/\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*/g)].flatMap(
    ([, text = '']) =>
      text
        .replace(/\\s/g, ' ')
        .replace(/\\d/g, '1')
        .replace(/\\w|\[(?:[^\]\\]|\\.)*\]|\\p\{\w+\}/g, 'a')
        .replace(/\\[bB]|\(\?(?:<?[=!]|:|<\w+>)|(?<!\\)[()^$*+?.|]|\{\d+,?\d*\}/g, '\0')
        .replace(/\\(.)/g, '$1')
        .split('\0'),
  )
  const parts = new Set([...strings, ...expressions].filter((part) => part !== ''))
  return [...parts].toSorted((one, other) => one.length - other.length).slice(0, MAX_OWN_PARTS)
}

/** The functions of the registry, each with the parts that its module looks for. */
export function registeredWorks(): Record<string, GrowthWork> {
  return Object.fromEntries(
    Object.entries(REGISTRY).flatMap(([file, functions]) => {
      const parts = partsIn(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'))
      return Object.entries(functions).map(([name, work]) => [`${file} ${name}`, { work, parts }])
    }),
  )
}

/**
 * Calls each function with each text of `shapesOf`, and refuses what takes more than 2.3 times as long for twice the text.
 * What counts is the processor time of this thread, the least of several measurements.
 */
export async function growthFailures({
  seed,
  rounds = 20,
  size = SIZE,
  works = registeredWorks(),
  unseen = 4,
}: GrowthOptions): Promise<GrowthResult> {
  const result: GrowthResult = { tried: 0, failures: [] }
  for (const [index, [name, { work, parts }]] of Object.entries(works).entries()) {
    if (!(await returnsForAny(work))) result.failures.push(`${name}: throws, whatever the text`)
    for (const shape of shapesOf(seed + index, rounds, parts)) {
      result.tried += 1
      const failure = await growth(work, shape, size, unseen)
      if (failure !== null) result.failures.push(`${name}, ${shape.name}: ${failure}`)
    }
  }
  return result
}

/** Whether a function works at all as it is called here. */
async function returnsForAny(work: TextWork): Promise<boolean> {
  for (const part of ['a', '1', ...PARTS]) if (await call(work, part)) return true
  return false
}

/** What is wrong with how long a work takes for a text; null where nothing is. */
async function growth(work: TextWork, shape: Shape, size: number, unseen: number): Promise<string | null> {
  for (const short of SHORT_SIZES) {
    if ((await quickest(work, shape.of(short), MAX_SHORT_MS)) < MAX_SHORT_MS) continue
    // On a busy machine the clock on the wall shows more than the work took, and a garbage collection adds to one measurement.
    let spent = Infinity
    for (let tries = 0; tries < TRIES && spent >= MAX_SHORT_MS; tries += 1)
      spent = Math.min(spent, await cost(work, shape.of(short)))
    if (spent >= MAX_SHORT_MS) return `${spent.toFixed(1)} ms for ${short} characters`
  }
  if ((await quickest(work, shape.of(size), unseen)) < unseen) return null
  let [small, large] = [Infinity, Infinity]
  for (let again = 0; again < TRIES; again += 1) {
    small = Math.min(small, await cost(work, shape.of(size)))
    large = Math.min(large, await cost(work, shape.of(size * 2 ** DOUBLINGS)))
    // What one doubling costs depends too much on what else the machine does.
    if (large <= LIMIT ** DOUBLINGS * Math.max(small, unseen / 2)) return null
  }
  return `${small.toFixed(1)} ms for ${size} characters, ${large.toFixed(1)} ms for ${size * 2 ** DOUBLINGS}`
}

/** The least milliseconds that a work takes, as a clock on the wall sees it; no more often than it takes too long. */
async function quickest(work: TextWork, text: string, enough: number): Promise<number> {
  let least = Infinity
  for (let again = 0; again < 3 && least >= enough; again += 1) {
    const own = ownText(text)
    const before = performance.now()
    await call(work, own)
    least = Math.min(least, performance.now() - before)
  }
  return least
}

/** Whether a function returns; an error is an answer too, and how long it takes is what counts. */
async function call(work: TextWork, text: string): Promise<boolean> {
  try {
    await work(text)
    return true
  } catch {
    return false
  }
}

/** Milliseconds of processor time in which nothing is told: systems count them in steps of up to 10. */
const COUNTED = 15

/** Milliseconds of processor time that a work takes for a text. */
async function cost(work: TextWork, text: string): Promise<number> {
  const begun = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    await call(work, ownText(text))
    const { user, system } = process.threadCpuUsage(begun)
    const spent = (user + system) / 1000
    if (spent >= COUNTED) return spent / times
  }
}

/** How many texts were made, so that none is the same: results of the same are remembered. */
let made = 0

function ownText(text: string): string {
  return `${text} ${(made += 1)}`
}
