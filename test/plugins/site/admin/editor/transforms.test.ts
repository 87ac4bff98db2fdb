import { history, undo } from '@tiptap/pm/history'
import type { Node } from '@tiptap/pm/model'
import { EditorState } from '@tiptap/pm/state'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixtureContents, hasSharedData, model, schema } from '../../../../helpers/editor-model.ts'

const transforms = suite('changes of the block type in the rich editor')

const block = (name: string, html: string, attributes = '') =>
  `<!-- wp:${name}${attributes === '' ? '' : ` ${attributes}`} -->\n${html}\n<!-- /wp:${name} -->`
const paragraph = (html: string) => block('paragraph', `<p>${html}</p>`)
const item = (html: string) => block('list-item', `<li>${html}</li>`)
const list = (...items: string[]) => block('list', `<ul class="wp-block-list">${items.map(item).join('\n\n')}</ul>`)
const read = (content: string) => model.readDocument(content, schema).firstChild!
const written = (nodes: readonly Node[] | null) => model.writeDocument(schema.node('doc', null, [...nodes!]))

const TEXT = 'a <strong>b</strong><br>c &amp; <a href="/x">d</a>'

const CHANGES: readonly [what: string, before: string, type: string, after: string][] = [
  [
    'a paragraph to a heading with its alignment and anchor',
    block('paragraph', `<p class="has-text-align-center x" id="i">${TEXT}</p>`, '{"align":"center","className":"x"}'),
    'heading3',
    block(
      'heading',
      `<h3 class="wp-block-heading has-text-align-center x" id="i">${TEXT}</h3>`,
      '{"className":"x","textAlign":"center","level":3}',
    ),
  ],
  [
    'the level of a heading, and nothing else of it',
    block('heading', '<h2 class="wp-block-heading own" data-x="1">a</h2>'),
    'heading4',
    block('heading', '<h4 class="wp-block-heading own" data-x="1">a</h4>', '{"level":4}'),
  ],
  ['a paragraph to a list', paragraph(TEXT), 'bulletList', list(TEXT)],
  [
    'a list to a numbered one, with its nested lists',
    list(`a${list('b')}`, 'c'),
    'orderedList',
    block(
      'list',
      `<ol class="wp-block-list">${[`a${list('b')}`, 'c'].map(item).join('\n\n')}</ol>`,
      '{"ordered":true}',
    ),
  ],
  ['a list to paragraphs', list('a', `b${list('c')}`), 'paragraph', ['a', 'b', 'c'].map(paragraph).join('\n\n')],
  [
    'a list to a quote around it',
    list('a'),
    'quote',
    block('quote', `<blockquote class="wp-block-quote">${list('a')}</blockquote>`),
  ],
  [
    'a quote to its blocks',
    block(
      'quote',
      `<blockquote class="wp-block-quote">${paragraph('a')}\n\n<!-- wp:archives /--><cite>b</cite></blockquote>`,
    ),
    'paragraph',
    `${paragraph('a')}\n\n<!-- wp:archives /-->\n\n${paragraph('b')}`,
  ],
  [
    'a paragraph to code with its marks',
    paragraph('a <strong>b</strong><br>c'),
    'codeBlock',
    block('code', '<pre class="wp-block-code"><code>a <strong>b</strong>\nc</code></pre>'),
  ],
  [
    'code to a paragraph with line breaks',
    block('code', '<pre class="wp-block-code"><code>a\n\n  b</code></pre>'),
    'paragraph',
    paragraph('a<br><br>  b'),
  ],
  [
    'code to a list of its lines',
    block('code', '<pre class="wp-block-code"><code>a\nb</code></pre>'),
    'bulletList',
    list('a', 'b'),
  ],
]

for (const [what, before, type, after] of CHANGES) {
  transforms(`change ${what}`, () => {
    assert.is(written(model.transformBlock(read(before), type)), after)
  })
}

transforms('are refused where another block would be lost', () => {
  const quote = read(
    block('quote', `<blockquote class="wp-block-quote">${paragraph('a')}\n\n<!-- wp:archives /--></blockquote>`),
  )
  assert.equal(model.typesOf(quote), ['paragraph', 'quote'])
  assert.is(model.transformBlock(quote, 'heading2'), null)
  assert.is(
    model.transformBlock(
      read('<!-- wp:separator -->\n<hr class="wp-block-separator"/>\n<!-- /wp:separator -->'),
      'paragraph',
    ),
    null,
  )
})

/** The characters and inline elements of blocks, with the marks of each. */
function contentsOf(nodes: readonly Node[]): string[] {
  const found: string[] = []
  const add = (node: Node) => {
    const marks = node.marks.map((mark) => JSON.stringify(mark.toJSON())).sort()
    if (node.isText)
      for (const character of node.text!.replaceAll(/\s/g, '')) found.push(`${character} ${marks.join(' ')}`)
    else if (node.isInline && node.type.name !== 'hardBreak') found.push(JSON.stringify(node.toJSON()))
  }
  for (const node of nodes) {
    add(node)
    node.descendants(add)
  }
  return found
}

transforms('lose no character, mark or inline element of any text block in the fixtures, and can be undone', () => {
  let count = 0
  const blocks = fixtureContents()
    .flatMap(({ content }) => model.readDocument(content, schema).children)
    .flatMap((node) => (node.type.name === 'classic' ? node.children : [node]))
  for (const node of blocks) {
    if (!model.isTextual(node)) continue
    for (const type of model.typesOf(node)) {
      const changed = model.transformBlock(node, type)!
      assert.equal(contentsOf(changed), contentsOf([node]), `${type}: ${node.textContent}`)
      const again = model.readDocument(written(changed), schema)
      again.check()
      assert.equal(contentsOf(again.children), contentsOf([node]), `${type}: ${node.textContent}`)
      count += 1
    }
    const state = EditorState.create({
      doc: schema.node('doc', null, [node.type.create(node.attrs, node.content)]),
      plugins: [history()],
    })
    const before = model.writeDocument(state.doc)
    let after = state.apply(
      state.tr.replaceWith(0, state.doc.content.size, model.transformBlock(state.doc.firstChild!, 'quote')!),
    )
    undo(after, (tr) => void (after = after.apply(tr)))
    assert.is(model.writeDocument(after.doc), before)
  }
  assert.ok(count > (hasSharedData ? 100 : 0))
})

transforms('give back the text of a list that became code, and the quote around a list', () => {
  const before = read(list('a <em>b</em>', 'c'))
  for (const type of ['codeBlock', 'preformatted', 'paragraph', 'quote']) {
    const [first, ...others] = model.transformBlock(before, type)!
    if (others.length > 0) continue
    const back = model.transformBlock(first!, type === 'quote' ? 'paragraph' : 'bulletList')!
    assert.is(written(back), list('a <em>b</em>', 'c'), type)
  }
})

transforms.run()
