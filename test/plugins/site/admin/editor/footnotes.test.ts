import { history, undo } from '@tiptap/pm/history'
import type { Node } from '@tiptap/pm/model'
import { EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { model, positionOf, schema } from '../../../../helpers/editor-model.ts'
import { randomOf } from '../../../../helpers/random.ts'

const footnotes = suite('footnotes of the rich editor')

const reference = (id: string, number: number) =>
  `<sup data-fn="${id}" class="fn"><a href="#${id}" id="${id}-link">${number}</a></sup>`
const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`
const BLOCK = '<!-- wp:footnotes /-->'

/** An open document and its notes. */
class Post {
  state: EditorState
  readonly notes

  constructor(content: string, meta = '') {
    this.notes = new model.Notes(meta)
    const doc = model.withNotes(model.readDocument(content, schema), this.notes)
    doc.check()
    const plugins = [history({ newGroupDelay: 0 }), model.footnotePlugin(() => this.notes)]
    this.state = EditorState.create({ doc, plugins })
  }

  apply(change: (tr: Transaction, doc: Node) => Transaction): void {
    this.state = this.state.apply(change(this.state.tr, this.state.doc))
    this.state.doc.check()
  }

  undo(): void {
    undo(this.state, (tr) => {
      this.state = this.state.apply(tr)
    })
  }

  /** Inserts a footnote after a text. Returns its ID. */
  insertAfter(text: string): string {
    const position = positionOf(this.state.doc, text) + text.length
    const state = this.state.apply(this.state.tr.setSelection(TextSelection.create(this.state.doc, position)))
    const inserted = model.insertFootnote(state)!
    this.state = state.apply(inserted.tr)
    return inserted.id
  }

  get content(): string {
    return model.writeDocument(this.state.doc)
  }

  get meta(): { id: string; content: string }[] {
    const written = this.notes.write(this.state.doc)
    return written === '' ? [] : (JSON.parse(written) as { id: string; content: string }[])
  }
}

const THREE = ['a', 'b', 'c'].map((id, index) => paragraph(`Text ${id}${reference(id, index + 1)} end`)).join('\n\n')
const NOTES = JSON.stringify([
  { content: 'Note <em>a</em> &amp; more', id: 'a' },
  { content: 'Note b', id: 'b' },
  { content: 'Note c', id: 'c' },
])

footnotes('keep content and meta as they are while nothing changes', () => {
  const content = `${THREE}\n\n<!-- wp:group {"x":1} -->\n<div  class="wp-block-group">${BLOCK}</div>\n<!-- /wp:group -->`
  const post = new Post(content, NOTES.replaceAll('/', '\\/'))
  assert.is(post.content, content)
  assert.is(post.notes.write(post.state.doc), NOTES.replaceAll('/', '\\/'))
  post.apply((tr, doc) => tr.insertText('!', positionOf(doc, 'Note b') + 6))
  assert.is(post.content, content)
  assert.equal(
    post.meta.map((note) => note.content),
    ['Note <em>a</em> &amp; more', 'Note b!', 'Note c'],
  )
})

footnotes('are numbered again when one is inserted before others, and add the block with the notes', () => {
  const post = new Post(THREE, NOTES)
  const id = post.insertAfter('Text a')
  assert.match(post.content, `Text a${reference(id, 1)}${reference('a', 2)} end`)
  assert.match(post.content, `Text c${reference('c', 4)} end`)
  assert.ok(post.content.endsWith(`\n\n${BLOCK}`))
  assert.equal(
    post.meta.map((note) => [note.id, note.content]),
    [
      [id, ''],
      ['a', 'Note <em>a</em> &amp; more'],
      ['b', 'Note b'],
      ['c', 'Note c'],
    ],
  )
  post.undo()
  assert.is(post.content, THREE)
  assert.is(post.notes.write(post.state.doc), JSON.stringify(JSON.parse(NOTES)))
})

footnotes('remove the note of a removed reference, and restore it with an undo', () => {
  const post = new Post(`${THREE}\n\n${BLOCK}`, NOTES)
  post.apply((tr, doc) => tr.insertText(' new', positionOf(doc, 'Note b') + 6))
  post.apply((tr, doc) => tr.delete(positionOf(doc, 'Text b') + 6, positionOf(doc, 'Text b') + 7))
  assert.equal(
    post.meta.map(({ id }) => id),
    ['a', 'c'],
  )
  assert.match(post.content, reference('c', 2))
  post.undo()
  assert.equal(
    post.meta.map(({ content }) => content),
    ['Note <em>a</em> &amp; more', 'Note b new', 'Note c'],
  )
  assert.is(post.content, `${THREE}\n\n${BLOCK}`)
})

footnotes('follow the order of their references, also into the sources of unknown blocks', () => {
  const unknown = `<!-- wp:acme/box -->\n<p>x${reference('d', 4)}</p>\n<!-- /wp:acme/box -->`
  const post = new Post(`${THREE}\n\n${unknown}\n\n${BLOCK}`, NOTES)
  post.apply((tr, doc) => {
    const size = doc.child(0).nodeSize
    return tr
      .delete(0, size)
      .insert(doc.child(1).nodeSize + doc.child(2).nodeSize + doc.child(3).nodeSize, doc.child(0))
  })
  assert.equal(
    post.meta.map(({ id }) => id),
    ['b', 'c', 'd', 'a'],
  )
  assert.equal(
    ['b', 'c', 'd', 'a'].map((id, index) => post.content.includes(reference(id, index + 1))),
    [true, true, true, true],
  )
  assert.equal(post.meta.at(-1)!.content, 'Note <em>a</em> &amp; more')
})

footnotes('keep their notes when the block with the notes is removed and added again', () => {
  const post = new Post(`${THREE}\n\n${BLOCK}`, NOTES)
  post.apply((tr, doc) => tr.delete(doc.content.size - doc.lastChild!.nodeSize, doc.content.size))
  assert.is(post.content, THREE)
  assert.equal(
    post.meta.map(({ content }) => content),
    ['Note <em>a</em> &amp; more', 'Note b', 'Note c'],
  )
  post.insertAfter('Text c')
  assert.ok(post.content.endsWith(BLOCK))
  assert.is(post.state.doc.lastChild!.textContent.includes('Note b'), true)
})

footnotes('cannot be inserted in a note', () => {
  const post = new Post(`${THREE}\n\n${BLOCK}`, NOTES)
  const position = positionOf(post.state.doc, 'Note b')
  const state = post.state.apply(post.state.tr.setSelection(TextSelection.create(post.state.doc, position)))
  assert.is(model.insertFootnote(state), null)
})

footnotes('have the numbers of their order, and one note each, after random edits', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const random = randomOf(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    const post = new Post(`${THREE}\n\n${BLOCK}`, NOTES)
    for (let count = 0; count < 30; count += 1) {
      const { doc } = post.state
      const end = doc.content.size - (doc.lastChild!.type.name === 'footnotes' ? doc.lastChild!.nodeSize : 0)
      const [from, to] = [below(end), below(end)].sort((a, b) => a - b) as [number, number]
      const kind = below(4)
      if (kind === 0) post.apply((tr) => tr.deleteRange(from, Math.min(to, from + 12)))
      else if (kind === 1) post.apply((tr) => tr.replaceRange(from, from, doc.slice(from, Math.min(to, from + 20))))
      else if (kind === 2) post.undo()
      else {
        const near = TextSelection.near(doc.resolve(from))
        const state = post.state.apply(post.state.tr.setSelection(near))
        const inserted = model.insertFootnote(state)
        if (inserted !== null) post.state = state.apply(inserted.tr)
      }
      const ids: string[] = []
      post.state.doc.descendants((node) => {
        if (node.type.name !== 'footnote') return
        const id = String(node.attrs['id'])
        if (!ids.includes(id)) ids.push(id)
        assert.is(node.attrs['number'], ids.indexOf(id) + 1, `seed ${seed}, edit ${count}`)
      })
      assert.equal(
        post.meta.map(({ id }) => id),
        ids,
      )
      const last = post.state.doc.lastChild!
      if (last.type.name === 'footnotes')
        assert.equal(
          last.children.map(({ attrs }) => String(attrs['id'])),
          ids,
        )
    }
  }
})

footnotes.run()
