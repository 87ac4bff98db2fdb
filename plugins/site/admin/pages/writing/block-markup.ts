import type MarkdownIt from 'markdown-it'

type Parser = InstanceType<typeof MarkdownIt>
type BlockRule = Parameters<Parser['block']['ruler']['before']>[2]

/** What the rule remembers while it parses a text. */
interface Env {
  readonly mark: string
  /** Ends of balanced blocks by their starts. */
  ends?: ReadonlyMap<number, number>
}

/** Adds a rule that passes on block markup from an opening comment to its closing comment. */
export function blockMarkup(parser: Parser): void {
  parser.block.ruler.before('fence', 'block_markup', readBlock, { alt: ['paragraph', 'reference', 'blockquote'] })
}

const readBlock: BlockRule = (state, startLine, endLine, silent) => {
  const env = state.env as unknown as Env
  const start = state.bMarks[startLine]! + state.tShift[startLine]!
  if (state.level > 0 || !state.src.startsWith(`<!-- ${env.mark}:`, start)) return false
  env.ends ??= endsOf(state.src, env.mark)
  const end = env.ends.get(start)
  if (end === undefined) return false
  let line = startLine
  while (line < endLine && state.eMarks[line]! < end) line += 1
  if (line >= endLine || state.src.slice(end, state.eMarks[line]).trim() !== '') return false
  if (silent) return true
  state.line = line + 1
  const token = state.push('block_markup', '', 0)
  token.map = [startLine, state.line]
  token.content = state.src.slice(start, end)
  return true
}

/** A comment of a block in a text. */
export interface BlockComment {
  readonly at: number
  readonly end: number
  readonly kind: 'open' | 'close' | 'void'
  readonly name: string
  readonly attributes: string
}

const COMMENT = /^<!--\s+(\/?)([a-z][a-z0-9_-]*):([a-z][a-z0-9_/-]*)\s*(?:(\{[^]*\})\s*)?(\/?)-->$/

/** Returns the comments of blocks in a text. Takes linear time. */
export function blockComments(text: string, mark: string): BlockComment[] {
  const comments: BlockComment[] = []
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', at)) {
    const close = text.indexOf('-->', at + 4)
    if (close < 0) break
    const end = close + 3
    const [, slash, found, name = '', attributes = '', isVoid] = COMMENT.exec(text.slice(at, end)) ?? []
    if (found === mark)
      comments.push({ at, end, kind: slash === '/' ? 'close' : isVoid === '/' ? 'void' : 'open', name, attributes })
    at = end
  }
  return comments
}

function endsOf(text: string, mark: string): Map<number, number> {
  const ends = new Map<number, number>()
  const open: BlockComment[] = []
  for (const comment of blockComments(text, mark)) {
    if (comment.kind === 'void') ends.set(comment.at, comment.end)
    else if (comment.kind === 'open') open.push(comment)
    else if (open.at(-1)?.name === comment.name) ends.set(open.pop()!.at, comment.end)
  }
  return ends
}
