import { history, redo, undo } from '@tiptap/pm/history'
import { Slice, type Node } from '@tiptap/pm/model'
import { EditorState, TextSelection, type Command, type Transaction } from '@tiptap/pm/state'
import { canJoin, canSplit } from '@tiptap/pm/transform'
import { model, schema } from './editor-model.ts'
import { randomOf, type Random } from './random.ts'

const TEXTS = ['word', ' ', 'a & b', '<b>', '"', ' é👩‍👩‍👧', '[x]', '--', 'https://a.test/?b=1&c']
const COLORS = ['red', 'vivid-cyan-blue', undefined]

/** A document that is edited at random, and its state before each edit is known to history. */
export class RandomEdits {
  state: EditorState
  readonly #random: Random
  readonly #others: readonly Node[]

  /** @param others documents to paste from */
  constructor(doc: Node, seed: number, others: readonly Node[]) {
    this.state = EditorState.create({ doc, plugins: [history({ newGroupDelay: 0 })] })
    this.#random = randomOf(seed)
    this.#others = others
  }

  /** Applies one edit; some do nothing because they do not fit. */
  edit(): void {
    const edits: readonly (() => void)[] = [
      () => this.#type(),
      () => this.#type(),
      () => this.#format(),
      () => this.#split(),
      () => this.#join(),
      () => this.#delete(),
      () => this.#move(),
      () => this.#paste(),
      () => this.#insert(),
      () => this.#change(),
      () => this.#run(undo),
      () => this.#run(undo),
      () => this.#run(redo),
    ]
    edits[this.#below(edits.length)]!()
  }

  /** Undoes all edits that history knows. */
  undoAll(): void {
    while (undo(this.state, (tr) => this.#apply(tr)));
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #apply(tr: Transaction): void {
    this.state = this.state.apply(tr)
  }

  #run(command: Command): void {
    command(this.state, (tr) => this.#apply(tr))
  }

  /** A random position in a text, or null if there is none. */
  #textPosition(): number | null {
    const { doc } = this.state
    const near = TextSelection.near(doc.resolve(this.#below(doc.content.size + 1)))
    return near.$from.parent.isTextblock
      ? near.from + this.#below(near.$from.parent.content.size - near.$from.parentOffset + 1)
      : null
  }

  #type(): void {
    const position = this.#textPosition()
    if (position !== null) this.#apply(this.state.tr.insertText(TEXTS[this.#below(TEXTS.length)]!, position))
  }

  #format(): void {
    const position = this.#textPosition()
    if (position === null) return
    const $position = this.state.doc.resolve(position)
    const names = ['bold', 'italic', 'code', 'strike', 'superscript']
    const mark = schema.marks[names[this.#below(names.length)]!]!.create()
    if ($position.parent.type.allowsMarkType(mark.type)) {
      this.#apply(
        this.state.tr.addMark($position.start() + this.#below($position.parentOffset + 1), $position.end(), mark),
      )
    }
  }

  #split(): void {
    const position = this.#textPosition()
    if (position === null) return
    const depth = 1 + this.#below(2)
    if (canSplit(this.state.doc, position, depth)) this.#apply(this.state.tr.split(position, depth))
  }

  #join(): void {
    const { doc } = this.state
    const position = this.#below(doc.content.size + 1)
    const { nodeBefore, nodeAfter } = doc.resolve(position)
    if (canJoin(doc, position) && nodeBefore?.type === nodeAfter?.type) this.#apply(this.state.tr.join(position))
  }

  #delete(): void {
    const { doc } = this.state
    const from = this.#below(doc.content.size + 1)
    const to = Math.min(doc.content.size, from + this.#below(60))
    this.#apply(this.state.tr.deleteRange(from, to))
  }

  #move(): void {
    const { doc } = this.state
    const index = this.#below(doc.childCount)
    const node = doc.child(index)
    let from = 0
    for (let before = 0; before < index; before += 1) from += doc.child(before).nodeSize
    const tr = this.state.tr.delete(from, from + node.nodeSize)
    const $target = tr.doc.resolve(this.#below(tr.doc.content.size + 1))
    this.#apply(tr.insert($target.depth === 0 ? $target.pos : $target.before(1), node))
  }

  #paste(): void {
    const others = [this.state.doc, ...this.#others]
    const source = others[this.#below(others.length)]!
    const from = this.#below(source.content.size + 1)
    const to = Math.min(source.content.size, from + this.#below(120))
    const { doc } = this.state
    const at = this.#below(doc.content.size + 1)
    const slice = this.#random() < 0.5 ? source.slice(from, to) : new Slice(source.slice(from, to).content, 0, 0)
    const tr = this.state.tr.replaceRange(at, Math.min(doc.content.size, at + this.#below(5)), slice)
    if (isValid(tr.doc)) this.#apply(tr)
  }

  #insert(): void {
    const { doc } = this.state
    const block = model.insertableBlocks[this.#below(model.insertableBlocks.length)]!
    const $target = doc.resolve(this.#below(doc.content.size + 1))
    this.#apply(
      this.state.tr.insert($target.depth === 0 ? $target.pos : $target.before(1), schema.nodeFromJSON(block.create())),
    )
  }

  #change(): void {
    const { doc } = this.state
    const blocks: number[] = []
    doc.descendants((node, position) => {
      if (node.type.spec.attrs?.['form'] !== undefined) blocks.push(position)
    })
    const position = blocks[this.#below(blocks.length)]
    const node = position === undefined ? null : doc.nodeAt(position)
    if (position === undefined || node === null || doc.resolve(position).parent.type.name === 'listItem') return
    const attributes = { ...(node.attrs['attributes'] as Record<string, unknown>) }
    if (this.#random() < 0.5) attributes['className'] = 'own'
    else if (COLORED.has(node.type.name)) attributes['textColor'] = COLORS[this.#below(COLORS.length)]
    if (node.type.name === 'heading') attributes['level'] = 1 + this.#below(6)
    this.#apply(this.state.tr.setNodeMarkup(position, undefined, { ...node.attrs, attributes }))
  }
}

const COLORED = new Set(['paragraph', 'heading', 'group', 'quote', 'columns', 'button', 'bulletList'])

function isValid(doc: Node): boolean {
  try {
    doc.check()
    return true
  } catch {
    return false
  }
}

/** Height of a spacer, which is not written. */
const DEFAULT_HEIGHT = '100px'

/** Returns the meaning of a document as JSON: without the sources of its blocks, and without empty texts, which are not written. */
export function meaningOf(doc: Node): string {
  const nodes = joinedClassic(doc).map((node) => meaning(node, null))
  while (nodes.length > 1 && isEmptyParagraph(nodes.at(-1)!)) nodes.pop()
  return JSON.stringify(
    nodes.filter((node) => node !== null),
    null,
    1,
  )
}

/** Classic blocks without another block between them are one when they are read. */
function joinedClassic(doc: Node): Node[] {
  const nodes: Node[] = []
  for (const node of doc.children) {
    const last = nodes.at(-1)
    if (node.type.name === 'classic' && last?.type.name === 'classic')
      nodes.splice(-1, 1, last.copy(last.content.append(node.content)))
    else nodes.push(node)
  }
  return nodes
}

/** The characters of classic content, whose elements depend on what is next to them. */
function meaningOfClassic(classic: Node): Meaning | null {
  const source = model.writeDocument(schema.node('doc', null, [classic]))
  const letters = source.replace(/<\/?(?:p|tbody)>|<br ?\/?>|&(?:amp|lt|nbsp);|[^\p{L}\d]/gu, '')
  return source === '' ? null : { type: 'classic', attributes: {}, content: [letters] }
}

interface Meaning {
  readonly type: string
  readonly attributes: unknown
  readonly content: readonly unknown[]
}

function isEmptyParagraph(node: Meaning | null): boolean {
  return node?.type === 'paragraph' && node.content.length === 0 && JSON.stringify(node.attributes) === '{}'
}

function meaning(node: Node, parent: Node | null): Meaning | null {
  const { attributes, form: _form, origin: _origin, section: _section, ...others } = node.attrs
  const { name } = node.type
  if (name === 'classic') return meaningOfClassic(node)
  if (['caption', 'citation'].includes(name) && node.content.size === 0) return null
  const isEmpty =
    ['embed', 'file', 'audio', 'video'].includes(name) && !hasSource(attributes as Record<string, unknown>)
  if (isEmpty) return { type: name, attributes: {}, content: name === 'video' ? textsOf(node) : [] }
  const isItemText = parent?.type.name === 'listItem' && node.type.name === 'paragraph'
  const given = Object.entries((attributes ?? {}) as Record<string, unknown>).filter(
    ([key, value]) => key !== 'ordered' && ![undefined, '', DEFAULT_HEIGHT].includes(value as string | undefined),
  )
  return {
    type: name,
    attributes: isItemText ? {} : { ...Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1))), ...others },
    content: node.isTextblock
      ? textsOf(node)
      : node.children.map((child) => meaning(child, node)).filter((child) => child !== null),
  }
}

function hasSource(attributes: Record<string, unknown>): boolean {
  return ['url', 'href', 'src'].some((name) => Boolean(attributes[name]))
}

/** Texts with the elements around them, whatever their order. */
function textsOf(node: Node): unknown[] {
  const texts: { text: string; marks: string }[] = []
  for (const child of node.children) {
    const marks = JSON.stringify(child.marks.map((mark) => JSON.stringify(mark.toJSON())).sort())
    const text = child.isText ? child.text! : `\0${child.type.name}${JSON.stringify(child.attrs)}`
    const last = texts.at(-1)
    if (last?.marks === marks) last.text += text
    else texts.push({ text, marks })
  }
  if (node.type.spec.whitespace === 'pre') return texts
  return texts.map(({ text, marks }) => ({ text: text.replace(/[ \t\r\n]*[\r\n][ \t\r\n]*/g, ' '), marks }))
}
