import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { blocksOfMarkdown } from '../../../../../../plugins/site/admin/pages/writing/markdown.ts'
import { growsLinearly } from '../../../../../helpers/growth.ts'

const markdown = suite('content made of Markdown')

markdown('is block markup as the block editor writes it', () => {
  const source = `# One *two*

Text & [link](https://a.example "T") with **bold** and a <b>tag</b>.

![A <cat>](/cat.png "Tom")

3. three
4. four
   - inner

> said
>
> twice

\`\`\`js
a < b
\`\`\`

---

| a | b |
|---|---|
| 1 | 2 |

<aside>as it is</aside>

[bad](javascript:alert(1))`
  const blocks = blocksOfMarkdown(source, 'wp')
  assert.is(
    blocks,
    `<!-- wp:heading {"level":1} -->
<h1 class="wp-block-heading">One <em>two</em></h1>
<!-- /wp:heading -->

<!-- wp:paragraph -->
<p>Text &amp; <a href="https://a.example" title="T">link</a> with <strong>bold</strong> and a <b>tag</b>.</p>
<!-- /wp:paragraph -->

<!-- wp:image -->
<figure class="wp-block-image"><img src="/cat.png" alt="A &lt;cat&gt;"/><figcaption class="wp-element-caption">Tom</figcaption></figure>
<!-- /wp:image -->

<!-- wp:list {"ordered":true,"start":3} -->
<ol start="3" class="wp-block-list"><!-- wp:list-item -->
<li>three</li>
<!-- /wp:list-item -->

<!-- wp:list-item -->
<li>four<!-- wp:list -->
<ul class="wp-block-list"><!-- wp:list-item -->
<li>inner</li>
<!-- /wp:list-item --></ul>
<!-- /wp:list --></li>
<!-- /wp:list-item --></ol>
<!-- /wp:list -->

<!-- wp:quote -->
<blockquote class="wp-block-quote"><!-- wp:paragraph -->
<p>said</p>
<!-- /wp:paragraph -->

<!-- wp:paragraph -->
<p>twice</p>
<!-- /wp:paragraph --></blockquote>
<!-- /wp:quote -->

<!-- wp:code {"className":"language-js"} -->
<pre class="wp-block-code language-js"><code>a &lt; b</code></pre>
<!-- /wp:code -->

<!-- wp:separator -->
<hr class="wp-block-separator has-alpha-channel-opacity"/>
<!-- /wp:separator -->

<!-- wp:table -->
<figure class="wp-block-table"><table class="has-fixed-layout"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></figure>
<!-- /wp:table -->

<!-- wp:html -->
<aside>as it is</aside>
<!-- /wp:html -->

<!-- wp:paragraph -->
<p>[bad](javascript:alert(1))</p>
<!-- /wp:paragraph -->`,
  )
})

/** Texts of so many characters that take other converters time that grows with the square of their length. */
const HOSTILE: readonly ((size: number) => string)[] = [
  (size) => '['.repeat(size),
  (size) => '[a]('.repeat(size / 4),
  (size) => '![['.repeat(size / 3),
  (size) => '*a **b '.repeat(size / 7),
  (size) => '*a '.repeat(size / 6) + 'b* '.repeat(size / 6),
  (size) => 'a_'.repeat(size / 2),
  (size) => '***a'.repeat(size / 4),
  (size) => '<a '.repeat(size / 3),
  (size) => '<!--'.repeat(size / 4),
  (size) => '>'.repeat(size),
  (size) => '> - '.repeat(size / 4),
  (size) => '1. '.repeat(size / 3),
  (size) => `${'a|'.repeat(size / 4)}\n${'-|'.repeat(size / 4)}`,
  (size) => '[a]: b\n'.repeat(size / 7),
  (size) => '> a\nb\n'.repeat(size / 6),
  (size) => '`'.repeat(size / 2) + 'a`'.repeat(size / 4),
]

markdown('takes time in proportion to the length of hostile texts', async () => {
  for (const [index, make] of HOSTILE.entries())
    await growsLinearly(`shape ${index}`, (size) => blocksOfMarkdown(make(size), 'wp'))
})

markdown.run()
