import { join } from 'node:path'
import { EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import type { Node } from '@tiptap/pm/model'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { autop } from '../../../../../plugins/rendering/content-rendering/autop.ts'
import { fixtureContents, hasSharedData, model, positionOf, schema } from '../../../../helpers/editor-model.ts'

const classic = suite('classic content that is edited in place')

const MODEL = join(import.meta.dirname, '../../../../../plugins/site/admin/assets/editor')
const { isEquivalent } = (await import(join(MODEL, 'model/equivalence.js'))) as {
  isEquivalent(this: void, a: readonly string[], b: readonly string[]): boolean
}
const { appendParagraph, insertBlocks } = (await import(join(MODEL, 'block-list.js'))) as {
  appendParagraph(this: void, state: EditorState): Transaction
  insertBlocks(this: void, state: EditorState, nodes: readonly Node[]): Transaction
}

/** Content as the site shows it. */
const rendered = (content: string) => (content.includes('<!-- wp:') ? content : autop(content))

/** Whether two pages show the same. HTML with an unclosed element cannot be compared by its meaning. */
const isSamePage = (a: string, b: string) => a === b || isEquivalent([a], [b])

/** A word that no fixture contains. */
const WORD = 'Xyzzy'

classic('changes only the edited piece in every content of the fixtures, on the page as well', () => {
  let count = 0
  for (const { content, place } of fixtureContents()) {
    const doc = model.readDocument(content, schema)
    const [block] = doc.children
    if (block?.type.name !== 'classic' || doc.childCount > 1) continue
    const pieces = block.children.map((piece) => piece.attrs['origin'] as { source: string; before: string })
    doc.descendants((node, position) => {
      if (!node.isTextblock || node.type.name === 'html' || node.type.name === 'shortcode') return
      count += 1
      const end = position + 1 + node.content.size
      const index = doc.resolve(position).index(1)
      const state = EditorState.create({ doc })
      const written = model.writeDocument(state.tr.insertText(WORD, end).doc)
      const sourceOf = (from: number, to?: number) =>
        pieces
          .slice(from, to)
          .map(({ before, source }) => before + source)
          .join('')
      const text = content.slice(content.indexOf(pieces[0]!.source))
      const [before, after] = [sourceOf(0, index) + pieces[index]!.before, sourceOf(index + 1)]
      const shown = written.slice(written.indexOf(text.slice(0, before.length)))
      assert.ok(shown.startsWith(before), `${place}: the pieces before ${node.textContent}`)
      assert.ok(shown.trimEnd().endsWith(after.trimEnd()), `${place}: the pieces after ${node.textContent}`)
      assert.ok(written.includes(WORD), place)
      const page = rendered(written).replace(WORD, '')
      assert.ok(
        isSamePage(page, rendered(content)) || isImageWithoutCaption(node),
        `${place}\n${pieces[index]!.source}\n=>\n${shown.slice(before.length, shown.length - after.length)}`,
      )
    })
  }
  assert.ok(count > (hasSharedData ? 100 : 0))
})

/** The first caption of an image adds elements. */
const isImageWithoutCaption = (node: Node) => node.type.name === 'image' && node.content.size === 0

classic('keeps its bytes when the document is copied as JSON and one paragraph is edited', () => {
  const content = 'One   <b>x</b>\n\n\n<h2  class="a">Two</h2>\nThree\n'
  const json = JSON.parse(JSON.stringify(model.readDocument(content, schema).toJSON())) as object
  const state = EditorState.create({ doc: schema.nodeFromJSON(json) })
  const end = state.doc.content.size - 2
  assert.is(model.writeDocument(state.tr.insertText('!', end).doc), content.replace('Three', 'Three!'))
})

/** Returns the position of the block around a text. */
const blockAround = (doc: Node, text: string) => doc.resolve(positionOf(doc, text)).before()

const withAttributes = (text: string, changes: Record<string, unknown>) => (state: EditorState) => {
  const position = blockAround(state.doc, text)
  const { attrs } = state.doc.nodeAt(position)!
  const attributes = { ...(attrs['attributes'] as object), ...changes }
  return state.tr.setNodeMarkup(position, undefined, { ...attrs, attributes })
}

const at = (state: EditorState, text: string) =>
  state.apply(state.tr.setSelection(TextSelection.create(state.doc, positionOf(state.doc, text) + text.length)))

const paragraphOf = (text: string) => schema.node('paragraph', null, schema.text(text))

/** Content, an edit, and the content after it. */
const EDITS: readonly [what: string, before: string, edit: (state: EditorState) => Transaction, after: string][] = [
  [
    'a new paragraph after another one',
    'One\ntwo\n\n\nThree',
    (state) => state.tr.split(positionOf(state.doc, 'two') + 3).insertText('New', positionOf(state.doc, 'two') + 5),
    'One\ntwo\n\nNew\n\n\nThree',
  ],
  [
    'a line break',
    'One\n\nTwo',
    (state) => state.tr.insert(positionOf(state.doc, 'ne'), schema.node('hardBreak')),
    'O\nne\n\nTwo',
  ],
  [
    'the level of a heading with other attributes',
    '<h2 id="a" class="b" data-c="d">One</h2>\nTwo',
    withAttributes('One', { level: 3 }),
    '<h3 id="a" class="b" data-c="d">One</h3>\nTwo',
  ],
  [
    'the alignment of a paragraph',
    'One\n\nTwo',
    withAttributes('One', { align: 'center' }),
    '<p style="text-align:center">One</p>\n\nTwo',
  ],
  [
    'an alignment of an attribute',
    '<p align="right" lang="en">One</p>',
    withAttributes('One', { align: 'center' }),
    '<p lang="en" style="text-align:center">One</p>',
  ],
  [
    'an item of a list',
    '<ol start="3" style="color:red">\n\t<li value="5">a</li>\n</ol>\nText',
    (state) => state.tr.split(positionOf(state.doc, 'a') + 1, 2).insertText('b', positionOf(state.doc, 'a') + 5),
    '<ol start="3" style="color:red">\n<li value="5">a</li>\n<li value="5">b</li>\n</ol>\nText',
  ],
  [
    'the text of a quote, and its citation',
    '<blockquote>Said\n\n<cite>Ann</cite></blockquote>',
    (state) => state.tr.insertText(' Lee', positionOf(state.doc, 'Ann') + 3),
    '<blockquote>Said\n\n<cite>Ann Lee</cite></blockquote>',
  ],
  [
    'the caption of a shortcode',
    '[caption id="attachment_5" align="alignleft" width="300"]<a href="/a"><img src="/a.jpg" alt="" width="300" /></a> Text[/caption]',
    (state) => state.tr.insertText('!', positionOf(state.doc, 'Text') + 4),
    '[caption id="attachment_5" align="alignleft" width="300"]<a href="/a"><img src="/a.jpg" alt="" width="300" /></a> Text![/caption]',
  ],
  [
    'a cell of a table',
    '<table class="x" border="1"><caption>C</caption><tr><td colspan="2">a</td></tr></table>',
    (state) => state.tr.insertText('b', positionOf(state.doc, 'a') + 1),
    '<table class="x" border="1"><caption>C</caption><tbody><tr><td colspan="2">ab</td></tr></tbody></table>',
  ],
  [
    'code',
    '<pre class="brush:js"><code>a\n\nb</code></pre>\nc',
    (state) => state.tr.insertText(' && 1', positionOf(state.doc, 'b') + 1),
    '<pre class="brush:js"><code>a\n\nb &amp;&amp; 1</code></pre>\nc',
  ],
  [
    'removes a paragraph',
    'One\n\nTwo\n\nThree',
    (state) => state.tr.delete(blockAround(state.doc, 'Two'), blockAround(state.doc, 'Three')),
    'One\n\nThree',
  ],
  ['a paragraph at the end', 'One', (state) => appendParagraph(state).insertText('Two'), 'One\n\nTwo'],
  [
    'the first block, so that the site adds no paragraphs any more',
    'One\n<b>two</b>\n\n<h2>Three</h2>\n<blockquote>Four</blockquote>\n\n<img src="/a.jpg" />',
    (state) => state.tr.insert(state.doc.content.size, paragraphOf('Block')),
    '<p>One<br /><b>two</b></p>\n\n<h2>Three</h2>\n<blockquote><p>Four</p></blockquote>\n\n<p><img src="/a.jpg" /></p>\n\n<!-- wp:paragraph -->\n<p>Block</p>\n<!-- /wp:paragraph -->',
  ],
  [
    'a block that classic content cannot contain',
    'One\n\nTwo',
    (state) => insertBlocks(at(state, 'One'), [schema.node('spacer')]),
    '<p>One</p>\n\n<!-- wp:spacer -->\n<div style="height:100px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->\n\n<p>Two</p>',
  ],
  [
    'a piece that becomes a block',
    '<h3 id="a">One</h3>\n\nTwo',
    (state) => {
      const position = blockAround(state.doc, 'One')
      const heading = state.doc.nodeAt(position)!
      const tr = state.tr.delete(position, position + heading.nodeSize)
      return tr.insert(tr.doc.content.size, heading)
    },
    '<p>Two</p>\n\n<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading" id="a">One</h3>\n<!-- /wp:heading -->',
  ],
  [
    'a block that becomes a piece',
    '<p>One</p>\n<!-- wp:heading {"level":3,"textAlign":"center"} -->\n<h3 class="wp-block-heading has-text-align-center">Two</h3>\n<!-- /wp:heading -->',
    (state) => {
      const position = blockAround(state.doc, 'Two')
      const heading = state.doc.nodeAt(position)!
      return state.tr.delete(position, position + heading.nodeSize).insert(position - 1, heading)
    },
    '<p>One</p>\n\n<h3 style="text-align:center">Two</h3>',
  ],
]

for (const [what, before, edit, after] of EDITS) {
  classic(`writes ${what}`, () => {
    const state = EditorState.create({ doc: model.readDocument(before, schema) })
    const { doc } = state.apply(edit(state))
    doc.check()
    assert.is(model.writeDocument(doc), after)
  })
}

classic('keeps HTML that cannot be read as it is, and edits the piece next to it', () => {
  const content = 'One <b>two\n\nThree\n\n<div>Five</div>'
  const doc = model.readDocument(content, schema)
  assert.equal(
    doc.firstChild!.children.map(({ type }) => type.name),
    ['html', 'paragraph', 'html'],
  )
  const state = EditorState.create({ doc })
  const edited = state.tr.insertText('!', positionOf(doc, 'Three') + 5).doc
  assert.is(model.writeDocument(edited), content.replace('Three', 'Three!'))
})

classic.run()
