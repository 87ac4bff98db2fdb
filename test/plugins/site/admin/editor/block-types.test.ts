import type { Node } from '@tiptap/pm/model'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixtureContents, model, schema, withoutOrigin } from '../../../../helpers/editor-model.ts'

const types = suite('block types of the rich editor')

/** Names of the block types that can be edited. */
const KNOWN = new Set(
  (
    'paragraph heading list list-item quote code preformatted verse table image gallery embed file audio video separator ' +
    'spacer buttons button columns column group details footnotes block html shortcode more nextpage'
  )
    .split(' ')
    .map((name) => `core/${name}`),
)

function nodesOf(content: string): Node[] {
  const nodes: Node[] = []
  model.readDocument(content, schema).descendants((node) => void nodes.push(node))
  return nodes
}

types('are editable in the contents of the fixtures', () => {
  const nodes = fixtureContents().flatMap(({ content }) => nodesOf(content))
  const atoms = nodes.filter(({ type, attrs }) => type.name === 'unknownBlock' && KNOWN.has(String(attrs['name'])))
  assert.equal(
    atoms.map(({ attrs }) => String(attrs['source'])),
    [],
  )
})

types('are written as they were, except for former markup, if no block is known to be unchanged', () => {
  let count = 0
  for (const { content, place } of fixtureContents()) {
    const written = model.writeDocument(withoutOrigin(model.readDocument(content, schema)))
    const again = model.writeDocument(withoutOrigin(model.readDocument(written, schema)))
    assert.is(again, written, place)
    if (written === content) count += 1
  }
  assert.ok(count > 0)
})

for (const block of model.insertableBlocks) {
  types(`has a new block that is read as it was written: ${block.title}`, () => {
    const created = block.create()
    const doc = schema.nodeFromJSON({ type: 'doc', content: [created, { type: 'separator' }] })
    doc.check()
    const written = model.writeDocument(doc)
    const read = model.readDocument(written, schema)
    assert.is(read.firstChild?.type.name, created.type)
    assert.is(model.writeDocument(withoutOrigin(read)), written)
  })
}

/** A block as the block editor saves it, a change of its attributes, and the block after it. */
const CHANGES: readonly [what: string, before: string, change: Record<string, unknown>, after: string][] = [
  [
    'the alignment of a paragraph',
    '<!-- wp:paragraph {"dropCap":true,"className":"own"} -->\n<p class="has-drop-cap own">a</p>\n<!-- /wp:paragraph -->',
    { align: 'center' },
    '<!-- wp:paragraph {"dropCap":true,"className":"own","align":"center"} -->\n<p class="has-drop-cap own has-text-align-center">a</p>\n<!-- /wp:paragraph -->',
  ],
  [
    'the colors of a heading',
    '<!-- wp:heading {"textColor":"red","x":1} -->\n<h2 class="wp-block-heading has-red-color has-text-color extra" id="a">b</h2>\n<!-- /wp:heading -->',
    { textColor: undefined, style: { color: { background: '#abc' } }, level: 3 },
    '<!-- wp:heading {"x":1,"level":3,"style":{"color":{"background":"#abc"}}} -->\n<h3 class="wp-block-heading extra has-background" id="a" style="background-color:#abc">b</h3>\n<!-- /wp:heading -->',
  ],
  [
    'the size and the link of an image',
    '<!-- wp:image {"id":5,"sizeSlug":"large"} -->\n<figure class="wp-block-image size-large"><img src="a.jpg" alt="" class="wp-image-5"/></figure>\n<!-- /wp:image -->',
    { width: '300px', alt: 'A "b"', href: '/c?d&e' },
    '<!-- wp:image {"id":5,"sizeSlug":"large","width":"300px"} -->\n<figure class="wp-block-image size-large is-resized"><a href="/c?d&amp;e"><img src="a.jpg" alt="A &quot;b&quot;" class="wp-image-5" style="width:300px"/></a></figure>\n<!-- /wp:image -->',
  ],
  [
    'the height of a spacer',
    '<!-- wp:spacer {"className":"x"} -->\n<div style="height:100px" aria-hidden="true" class="wp-block-spacer x"></div>\n<!-- /wp:spacer -->',
    { height: '40px' },
    '<!-- wp:spacer {"className":"x","height":"40px"} -->\n<div style="height:40px" aria-hidden="true" class="wp-block-spacer x"></div>\n<!-- /wp:spacer -->',
  ],
  [
    'the state of details',
    '<!-- wp:details -->\n<details class="wp-block-details"><summary>a</summary><!-- wp:separator -->\n<hr class="wp-block-separator"/>\n<!-- /wp:separator --></details>\n<!-- /wp:details -->',
    { showContent: true },
    '<!-- wp:details {"showContent":true} -->\n<details class="wp-block-details" open><summary>a</summary><!-- wp:separator -->\n<hr class="wp-block-separator"/>\n<!-- /wp:separator --></details>\n<!-- /wp:details -->',
  ],
  [
    'the controls of a video',
    '<!-- wp:video {"id":1} -->\n<figure class="wp-block-video"><video controls src="a.mp4"><track src="b.vtt"/></video></figure>\n<!-- /wp:video -->',
    { controls: false, loop: true },
    '<!-- wp:video {"id":1} -->\n<figure class="wp-block-video"><video src="a.mp4" loop><track src="b.vtt"/></video></figure>\n<!-- /wp:video -->',
  ],
  [
    'an attribute that could end a comment',
    '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
    { className: 'a--b <i>&"c"\\' },
    '<!-- wp:more {"className":"a\\u002d\\u002db \\u003ci\\u003e\\u0026\\u0022c\\u0022\\u005c"} -->\n<!--more-->\n<!-- /wp:more -->',
  ],
  [
    'an attribute of an unknown block, without another change of its bytes',
    '<!-- wp:acme/box   {"a": 1,"b":2} -->  <p>x<b>y</p> <!-- /wp:acme/box   -->',
    { a: 3 },
    '<!-- wp:acme/box {"a":3,"b":2} -->  <p>x<b>y</p> <!-- /wp:acme/box   -->',
  ],
]

for (const [what, before, change, after] of CHANGES) {
  types(`change ${what}`, () => {
    const doc = model.readDocument(before, schema)
    const [block] = doc.toJSON().content
    const attributes = { ...block.attrs.attributes, ...change }
    const changed = schema.nodeFromJSON({ type: 'doc', content: [{ ...block, attrs: { ...block.attrs, attributes } }] })
    assert.is(model.writeDocument(changed), after)
  })
}

/** Inline HTML that is written as it is read. */
const INLINE = [
  'a <strong>b <em>c</em></strong> d',
  '<a href="/x" target="_blank" rel="noreferrer noopener"><strong>x</strong></a>',
  '<strong><a href="/x" data-type="page" data-id="2">x</a></strong>',
  '<mark style="background-color:rgba(0, 0, 0, 0);color:#e30000" class="has-inline-color">x</mark>',
  '<span style="text-decoration: underline">u</span>',
  'H<sub>2</sub>O<sup>2</sup> <kbd>K</kbd> <s>s</s> <code>c</code>',
  'x<sup data-fn="a1" class="fn"><a href="#a1" id="a1-link">1</a></sup>',
  'a<br>b<img class="wp-image-3" style="width: 10px;" src="x.png" alt=""/>',
  '<abbr title="x">y</abbr> <bdo lang="ar" dir="rtl">z</bdo> <span class="a"><span class="b">n</span></span>',
  '<a id="anchor"></a><!-- note --><svg viewBox="0 0 1 1"><path d="M0"/></svg>',
  'a &amp; b &lt;c> d&nbsp;e',
  '<b>old</b> <i>tags</i>',
]

for (const html of INLINE) {
  types(`keep the inline HTML ${html}`, () => {
    const source = `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`
    const doc = model.readDocument(source, schema)
    assert.is(doc.firstChild?.type.name, 'paragraph')
    assert.is(model.writeDocument(withoutOrigin(doc)), source)
  })
}

types.run()
