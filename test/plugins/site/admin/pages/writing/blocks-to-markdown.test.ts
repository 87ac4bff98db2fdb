import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  editedBlocks,
  markdownOfBlocks,
} from '../../../../../../plugins/site/admin/pages/writing/blocks-to-markdown.ts'
import { fixtureContents, hasSharedData } from '../../../../../helpers/editor-model.ts'
import { growsLinearly } from '../../../../../helpers/growth.ts'

const markdown = suite('Markdown of blocks')

const block = (name: string, html: string, attributes = '') =>
  `<!-- wp:${name}${attributes === '' ? '' : ` ${attributes}`} -->\n${html}\n<!-- /wp:${name} -->`
const paragraph = (html: string) => block('paragraph', `<p>${html}</p>`)
const list = (...items: string[]) =>
  block(
    'list',
    `<ul class="wp-block-list">${items.map((item) => block('list-item', `<li>${item}</li>`)).join('\n\n')}</ul>`,
  )

const BLOCKS: readonly [what: string, blocks: string, text: string][] = [
  [
    'text with marks',
    paragraph('a <strong>b <em>c</em></strong> <s>d</s> <code>e_f</code> <a href="/x" title="T">g</a>'),
    'a **b *c*** ~~d~~ `e_f` [g](/x "T")',
  ],
  [
    'elements without a form',
    paragraph('H<sub>2</sub>O<br>x <a href="/y" target="_blank">z</a>'),
    'H<sub>2</sub>O<br>x <a href="/y" target="_blank">z</a>',
  ],
  [
    'characters with a meaning',
    paragraph('1. a * b_c [d] &lt;e> "f" &amp; \\g'),
    '1\\. a \\* b\\_c \\[d\\] &lt;e> "f" &amp; \\\\g',
  ],
  ['the start of a line', `${paragraph('# a')}\n\n${paragraph('- b')}`, '\\# a\n\n\\- b'],
  [
    'headings',
    `${block('heading', '<h2 class="wp-block-heading">a</h2>')}\n\n${block('heading', '<h4 class="wp-block-heading">b</h4>', '{"level":4}')}`,
    '## a\n\n#### b',
  ],
  ['nested lists', list(`a${list('b', 'c')}`, 'd'), '- a\n  - b\n  - c\n- d'],
  [
    'quotes',
    block('quote', `<blockquote class="wp-block-quote">${paragraph('a')}\n\n${paragraph('b')}</blockquote>`),
    '> a\n>\n> b',
  ],
  [
    'code',
    block(
      'code',
      '<pre class="wp-block-code language-js"><code>a &lt; b\n\n```</code></pre>',
      '{"className":"language-js"}',
    ),
    '````js\na < b\n\n```\n````',
  ],
  [
    'images',
    block(
      'image',
      '<figure class="wp-block-image"><img src="/a.png" alt="A"/><figcaption class="wp-element-caption">C</figcaption></figure>',
    ),
    '![A](/a.png "C")',
  ],
  [
    'tables',
    block(
      'table',
      '<figure class="wp-block-table"><table class="has-fixed-layout"><thead><tr><th>a</th><th class="has-text-align-right" data-align="right">b</th></tr></thead><tbody><tr><td><strong>c</strong></td><td class="has-text-align-right" data-align="right">d | e</td></tr></tbody></table></figure>',
    ),
    '| a | b |\n| --- | --: |\n| **c** | d \\| e |',
  ],
  ['separators', block('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>'), '---'],
]

for (const [what, blocks, text] of BLOCKS) {
  markdown(`has ${what}`, () => {
    assert.is(markdownOfBlocks(blocks, 'wp'), text)
  })
}

markdown('has block markup for blocks that it cannot express, also with empty lines in them', () => {
  const group = block('group', `<div class="wp-block-group">${paragraph('a')}\n\n${paragraph('b')}</div>`)
  const content = `${paragraph('One')}\n\n${group}\n\n<!-- wp:archives /-->\n\n${block('paragraph', '<p class="x">Two</p>', '{"className":"x"}')}`
  const text = markdownOfBlocks(content, 'wp')!
  assert.ok(text.startsWith(`One\n\n${group}\n\n<!-- wp:archives /-->\n\n<!-- wp:paragraph {`))
  assert.is(editedBlocks(text.replace('One', 'One *more*'), 'wp', content), content.replace('One', 'One <em>more</em>'))
})

markdown('becomes the same bytes as long as it is unchanged, in every content of the fixtures', () => {
  let count = 0
  for (const { content, place } of fixtureContents()) {
    const text = markdownOfBlocks(content, 'wp')
    if (text === null || text === '') continue
    const again = editedBlocks(text, 'wp', content)
    assert.is(again.replaceAll(/\s*<!-- /g, '\n<!-- '), content.trim().replaceAll(/\s*<!-- /g, '\n<!-- '), place)
    // Without the stored content, it becomes Markdown that is the same.
    assert.is(markdownOfBlocks(editedBlocks(text, 'wp', ''), 'wp'), text, place)
    count += 1
  }
  assert.ok(count > (hasSharedData ? 50 : 0))
})

markdown('changes only the edited block', () => {
  const odd = '<!-- wp:paragraph  -->\n<p>Odd &quot;text&quot;</p>\n<!-- /wp:paragraph -->'
  const content = `${paragraph('One &gt; two')}\n\n${odd}\n\n${paragraph('One &gt; two')}\n\n${list('a')}\n\n${list('b')}`
  const text = markdownOfBlocks(content, 'wp')!
  assert.is(editedBlocks(text, 'wp', content), content)
  assert.is(editedBlocks(`${text}\n\nLast`, 'wp', content), `${content}\n\n${paragraph('Last')}`)
})

markdown('does not exist for text outside of blocks', () => {
  assert.is(markdownOfBlocks(`${paragraph('a')}\n\nClassic`, 'wp'), null)
  assert.is(markdownOfBlocks('<!-- wp:group --><div>', 'wp'), null)
})

const HOSTILE: readonly ((size: number) => string)[] = [
  (size) => '<!-- wp:a -->'.repeat(size / 13),
  (size) => `${'<!-- wp:list --><ul><!-- wp:list-item --><li>'.repeat(size / 44)}`,
  (size) => paragraph('<strong>'.repeat(size / 8)),
  (size) => paragraph('*_`['.repeat(size / 4)),
  (size) => '<!-- wp:a /-->\n\n'.repeat(size / 16),
  (size) => `<!-- wp:a ${'{'.repeat(size / 2)}${'}'.repeat(size / 2)}`,
]

markdown('takes time in proportion to the length of hostile texts', async () => {
  for (const [index, make] of HOSTILE.entries())
    await growsLinearly(`shape ${index}`, (size) =>
      editedBlocks(markdownOfBlocks(make(size), 'wp') ?? make(size), 'wp', make(size)),
    )
})

markdown.run()
