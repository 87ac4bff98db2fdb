const block = (name: string, html: string, attributes = '') =>
  `<!-- wp:${name}${attributes === '' ? '' : ` ${attributes}`} -->\n${html}\n<!-- /wp:${name} -->`
const paragraph = (html: string) => block('paragraph', `<p>${html}</p>`)
const item = (text: string) => block('list-item', `<li>${text}</li>`)
const cells = (tag: string, ...texts: string[]) =>
  `<tr>${texts.map((text) => `<${tag}>${text}</${tag}>`).join('')}</tr>`

/** Content of most posts. */
export const LETTER = [
  paragraph('The wind turned in the night. By six the boats lay with their bows to the west, and the gulls were back.'),
  paragraph('More about this in <a href="/about-the-harbor/">the history of the harbor</a>.'),
].join('\n\n')

/** Content with the blocks of the rich editor. @param image an uploaded image */
export const CONTENT = (image: { readonly id: number; readonly url: string }) =>
  [
    paragraph('The water came up to the <strong>third step</strong>, with <em>letters</em> and <code>bottles</code>.'),
    block('heading', '<h2 class="wp-block-heading">Found on the pier</h2>'),
    block('list', `<ul class="wp-block-list">${item('two boats')}${item('a letter')}</ul>`),
    block(
      'image',
      `<figure class="wp-block-image size-large"><img src="${image.url}" alt="Two boats in a harbor" class="wp-image-${image.id}"/><figcaption class="wp-element-caption">The harbor at noon</figcaption></figure>`,
      `{"id":${image.id},"sizeSlug":"large"}`,
    ),
    block(
      'quote',
      `<blockquote class="wp-block-quote">${paragraph('No tide is like another.')}<cite>Edgar</cite></blockquote>`,
    ),
    block(
      'table',
      `<figure class="wp-block-table"><table><thead>${cells('th', 'Day', 'High water')}</thead><tbody>${cells('td', 'Monday', '6:12')}${cells('td', 'Tuesday', '6:58')}</tbody></table></figure>`,
    ),
    block('code', '<pre class="wp-block-code"><code>tide --next spring</code></pre>'),
    block('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>'),
    block(
      'buttons',
      `<div class="wp-block-buttons">${block('button', '<div class="wp-block-button"><a class="wp-block-button__link wp-element-button" href="/about-the-harbor/">Read on</a></div>')}</div>`,
    ),
    // The editor shows blocks without a form as they are.
    block('calendar', '', '{"month":3,"year":2026}'),
  ].join('\n\n')
