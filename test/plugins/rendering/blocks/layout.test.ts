import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withLegacyLayout } from '../../../../plugins/rendering/blocks/layout.ts'
import { htmlOf, parseBlocks } from '../../../../plugins/rendering/blocks/parse.ts'
import { serve } from '../../../helpers/site.ts'

const layout = suite('block layout before 6.5')

function html(content: string): string {
  return htmlOf(withLegacyLayout(parseBlocks(content, 'my'), 'my', { last: 0 }))
}

function block(name: string, html: string, attributes: object = {}): string {
  return `<!-- my:${name} ${JSON.stringify(attributes)} -->${html}<!-- /my:${name} -->`
}

layout('adds classes, numbered if the block needs its own style rule', () => {
  const column = block('column', '<div class="my-block-column">x</div>')
  assert.is(
    html(block('columns', `<div class="my-block-columns">${column}${column}</div>`)),
    '<div class="is-layout-flex my-container-3 my-block-columns"><div class="is-layout-flow my-block-column">x</div>' +
      '<div class="is-layout-flow my-block-column">x</div></div>',
  )
  const buttons = (attributes: object) => html(block('buttons', '<div class="b"></div>', attributes))
  assert.is(buttons({}), '<div class="is-layout-flex b"></div>')
  assert.is(
    buttons({ layout: { type: 'flex', orientation: 'horizontal', justifyContent: 'center' } }),
    '<div class="is-horizontal is-content-justification-center is-layout-flex my-container-1 b"></div>',
  )
  assert.is(
    buttons({ layout: { type: 'flex', orientation: 'vertical', flexWrap: 'nowrap' } }),
    '<div class="is-vertical is-nowrap is-layout-flex my-container-1 b"></div>',
  )
})

layout('finds the class attribute, not its text in another attribute', () => {
  assert.is(
    html(block('columns', `<div title=" class=" id="k" class="c"></div>`)),
    '<div title=" class=" id="k" class="is-layout-flex my-container-1 c"></div>',
  )
})

layout('wraps the content of a group, unless it is a row or already wrapped', () => {
  const text = block('paragraph', '<p>x</p>')
  const group = (inner: string, attributes = {}) =>
    html(block('group', `<div style="a:b" class="g">${inner}</div>`, attributes))
  const container = '<div class="my-block-group__inner-container">'
  assert.is(group(text), `<div style="a:b" class="is-layout-flow g">${container}<p>x</p></div></div>`)
  assert.is(group(''), `<div style="a:b" class="is-layout-flow g">${container}</div></div>`)
  assert.is(
    group(text, { layout: { type: 'constrained', contentSize: '50em' } }),
    `<div style="a:b" class="is-layout-constrained my-container-1 g">${container}<p>x</p></div></div>`,
  )
  assert.is(
    group(`${container}${text}</div>`),
    `<div style="a:b" class="is-layout-flow g">${container}<p>x</p></div></div>`,
  )
  assert.is(group(text, { layout: { type: 'flex' } }), '<div style="a:b" class="is-layout-flex g"><p>x</p></div>')
})

layout('numbers galleries, and adds IDs to their images', () => {
  const gallery = block(
    'gallery',
    `<figure class="g">${block('image', '<figure><img src="a"/></figure>', { id: 7 })}</figure>`,
  )
  const numbered = (number: number) =>
    `<figure class="is-layout-flex my-block-gallery-${number} g"><figure><img data-id="7"  src="a"/></figure></figure>`
  assert.is(html(gallery + gallery), numbered(1) + numbered(3))
  assert.is(html(block('image', '<img src="a"/>', { id: 7 })), '<img src="a"/>')
  assert.is(
    html(block('gallery', block('image', '<img src="a"/>', { id: '7" onload="x' }))),
    '<img src="a"/>',
    'IDs must be numbers',
  )
})

layout('wraps aligned images', () => {
  const image = (names: string, attributes = {}) =>
    html(`a${block('image', `\n<figure class="${names}" id="x"><img class="my-image-7"/></figure>\n`, attributes)}b`)
  assert.is(
    image('my-block-image aligncenter size-large'),
    'a<div class="my-block-image">\n<figure class="aligncenter size-large" id="x"><img class="my-image-7"/></figure></div>b',
  )
  assert.is(
    image('my-block-image alignleft size-full is-style-rounded', { className: 'is-style-rounded "><i' }),
    'a<div class="my-block-image is-style-rounded">\n' +
      '<figure class="alignleft size-full" id="x"><img class="my-image-7"/></figure></div>b',
  )
  for (const names of ['my-block-image size-full', 'my-block-image alignwide', 'aligncenter']) {
    assert.is(image(names), `a\n<figure class="${names}" id="x"><img class="my-image-7"/></figure>\nb`)
  }
})

layout('does not change HTML that the editor does not produce', () => {
  assert.is(html(block('group', 'text')), 'text')
  assert.is(html(block('group', '<div>x')), '<div>x')
  assert.is(html(block('columns', '<div id="x"><b class="y"></b></div>')), '<div id="x"><b class="y"></b></div>')
  assert.is(
    html(block('buttons', '<div class="b"></div>', { layout: { type: ['"'], justifyContent: '"><i' } })),
    '<div class="is-layout-flow b"></div>',
  )
  assert.is(html(block('buttons', '<div class="b"></div>', { layout: null })), '<div class="is-layout-flow b"></div>')
})

layout('numbers blocks consecutively in content with rendered blocks', async () => {
  await using site = await serve({ revision: '6.1' })
  const { kernel } = site
  const mark = kernel.branding.blockMark
  const columns = `<!-- ${mark}:columns --><div class="c"></div><!-- /${mark}:columns -->`
  const { contentRendering: rendering } = kernel.services
  const post = { id: 9999, type: 'post', status: 'publish', title: '', excerpt: '' } as const
  const numbered = (number: number) => `<div class="is-layout-flex ${mark}-container-${number} c"></div>`
  assert.is(await rendering.content({ ...post, content: columns + columns }), numbered(1) + numbered(2))
  assert.is(
    await rendering.content({ ...post, content: `${columns}<!-- ${mark}:block {"ref":1} /-->${columns}` }),
    numbered(1) + numbered(2),
  )
})

layout('handles hostile content', () => {
  for (const part of ['<', '<a class', '<img', '</div>', ' class="', '<!-- my:group -->', '<!-- my:group --><div ']) {
    html(`<!-- my:group -->${part.repeat(100_000)}<!-- /my:group -->`)
  }
  html(`<!-- my:image --><figure class="${' alignleft'.repeat(50_000)}<!-- /my:image -->`)
  html(`<!-- my:image -->${' '.repeat(500_000)}<figure class="alignleft" <!-- /my:image -->`)
  html(`<!-- my:group --><${'a'.repeat(500_000)}</a><!-- /my:group -->`)
})

layout.run()
