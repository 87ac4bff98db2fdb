/** A picture of a size and color, as a data URL that needs no upload. */
const picture = (width: number, height: number) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#246"/></svg>`)}`

/** An image element with the attributes that editors write. */
export const image = (width: number, height: number, more = '') =>
  `<img alt="A bed" width="${width}" height="${height}" src="${picture(width, height)}"${more}/>`

/** A block in its stored form. */
export function block(name: string, attributes: object, html: string): string {
  const written = JSON.stringify(attributes)
  return `<!-- wp:${name}${written === '{}' ? '' : ` ${written}`} -->\n${html}\n<!-- /wp:${name} -->\n`
}

export const paragraph = (text: string, className = '') =>
  block('paragraph', className === '' ? {} : { className }, `<p${className && ` class="${className}"`}>${text}</p>`)

export const LONG = 'Beds, borders and paths of a garden that is long enough for several lines of text. '.repeat(5)

const imageBlock = (width: number, height: number, align = '', caption = '') =>
  block(
    'image',
    align === '' ? {} : { align },
    `<figure class="wp-block-image${align && ` align${align}`}">${image(width, height)}` +
      `${caption && `<figcaption class="wp-element-caption">${caption}</figcaption>`}</figure>`,
  )

const column = (content: string, width = '') =>
  block(
    'column',
    width === '' ? {} : { width },
    `<div class="wp-block-column"${width && ` style="flex-basis:${width}"`}>${content}</div>`,
  )

export const columns = (contents: readonly string[], attributes: object = {}, widths: readonly string[] = []) => {
  const stays = 'isStackedOnMobile' in attributes ? ' is-not-stacked-on-mobile' : ''
  const inner = contents.map((content, at) => column(content, widths[at])).join('')
  return block('columns', attributes, `<div class="wp-block-columns${stays}">${inner}</div>`)
}

const nestedList = (tag: 'ol' | 'ul') =>
  `<${tag}><li>One<${tag}><li>Two<${tag}><li class="${tag}-deepest">Three</li></${tag}></li></${tag}></li></${tag}>`

const gallery = (count: number, number: number) =>
  block(
    'gallery',
    { columns: number, linkTo: 'none' },
    `<figure class="wp-block-gallery has-nested-images columns-${number} is-cropped">${imageBlock(300, 200, '', 'A').repeat(count)}</figure>`,
  )

const oldGallery = (count: number, number: number) =>
  `<ul class="wp-block-gallery columns-${number} is-cropped">${`<li class="blocks-gallery-item"><figure>${image(300, 200)}<figcaption>A</figcaption></figure></li>`.repeat(count)}</ul>`

const button = (text: string, width: number) =>
  block(
    'button',
    { width },
    `<div class="wp-block-button has-custom-width wp-block-button__width-${width}"><a class="wp-block-button__link wp-element-button" href="/x">${text}</a></div>`,
  )

/** Aspect ratios of embeds, as the classes of their blocks name them. */
export const RATIOS = ['21-9', '18-9', '16-9', '4-3', '1-1', '9-16', '1-2'] as const

const embed = (ratio: string) =>
  `<figure class="wp-block-embed wp-embed-aspect-${ratio} wp-has-aspect-ratio"><div class="wp-block-embed__wrapper"><iframe title="Film" width="500" height="100" src="about:blank"></iframe></div></figure>`

const mediaText = (className: string) =>
  block(
    'media-text',
    {},
    `<div class="wp-block-media-text is-stacked-on-mobile ${className}"><figure class="wp-block-media-text__media">${image(600, 400)}</figure><div class="wp-block-media-text__content">${paragraph('Text')}</div></div>`,
  )

const cover = (position: string) =>
  `<div class="wp-block-cover has-custom-content-position is-position-${position}" style="min-height:300px"><span aria-hidden="true" class="wp-block-cover__background has-background-dim-100 has-background-dim"></span><div class="wp-block-cover__inner-container"><p>Cover</p></div></div>`

/** Texts in elements that classic editors wrote. */
const INLINE =
  '<p class="inline">A <abbr title="x">abbr</abbr> <acronym title="x">acronym</acronym> <big>big</big> <small>small</small> <cite>cite</cite> ' +
  '<code>code</code> <del>del</del> <ins>ins</ins> <kbd>kbd</kbd> <q>q</q> <s>s</s> <strike>strike</strike> <sub>sub</sub> <sup>sup</sup> <tt>tt</tt> <u>u</u> <var>var</var></p>' +
  `<address>1 Garden path</address><dl><dt>Term</dt><dd>Definition</dd></dl><pre>${'pre '.repeat(80)}</pre>` +
  '<blockquote><p>Quote</p><cite>Rosa</cite></blockquote>' +
  [1, 2, 3, 4, 5, 6].map((level) => `<h${level}>Heading ${level}</h${level}>`).join('')

const TABLE = (cells: number) =>
  `<figure class="wp-block-table"><table><thead><tr>${'<th>Heading</th>'.repeat(cells)}</tr></thead><tbody><tr>${'<td>Something</td>'.repeat(cells)}</tr></tbody><tfoot><tr>${'<td>End</td>'.repeat(cells)}</tr></tfoot></table><figcaption class="wp-element-caption">Beds of the garden</figcaption></figure>`

const padded = { style: { spacing: { padding: { left: '40px', right: '40px' } }, border: { width: '3px' } } }

/** Contents by name: every group of elements that editors write, in the containers they appear in. */
export const CONTENTS = {
  columns:
    columns(['A', 'B', 'C'].map((text) => paragraph(text, `column-${text}`))) +
    columns([paragraph('D', 'narrow'), paragraph('E', 'broad')], {}, ['25%', '75%']) +
    columns([paragraph('F', 'stays'), paragraph('G', 'stays')], { isStackedOnMobile: false }) +
    columns([imageBlock(900, 600, '', LONG), TABLE(9)]),
  lists: `${nestedList('ul')}${nestedList('ol')}<dl><dt>Term</dt><dd><ul><li class="dd-item">One</li></ul></dd></dl><div dir="rtl">${nestedList('ul').replace('ul-deepest', 'rtl-deepest')}</div>`,
  alignments:
    paragraph('Normal', 'normal') +
    imageBlock(1600, 400, 'wide') +
    imageBlock(1600, 400, 'full') +
    imageBlock(150, 120, 'left', 'A caption that is longer than its image') +
    paragraph(LONG, 'beside') +
    block('spacer', { height: '20px' }, '<div style="height:20px" aria-hidden="true" class="wp-block-spacer"></div>') +
    imageBlock(150, 120, 'right') +
    paragraph(LONG, 'beside') +
    imageBlock(300, 200, 'center', 'Centered') +
    block('group', { align: 'wide' }, `<div class="wp-block-group alignwide">${paragraph('Wide')}</div>`) +
    block('group', { align: 'full' }, `<div class="wp-block-group alignfull">${paragraph('Full')}</div>`),
  galleries: gallery(3, 3) + gallery(5, 2) + oldGallery(5, 5) + oldGallery(3, 2),
  captions: `[caption width="1200" align="alignnone"]${image(1200, 400)} ${LONG}[/caption][caption width="150" align="alignright"]${image(150, 100)} Right[/caption]<p>${LONG}</p>`,
  paragraphs:
    block('paragraph', { dropCap: true }, `<p class="has-drop-cap">${LONG.repeat(2)}</p>`) +
    paragraph('Colored', 'has-background has-pale-cyan-blue-background-color') +
    block('paragraph', { align: 'right' }, '<p class="has-text-align-right"><span>Right</span></p>') +
    `<div dir="rtl"><p class="rtl"><span>שלום</span></p></div>${INLINE}`,
  buttons: block(
    'buttons',
    {},
    `<div class="wp-block-buttons">${[25, 50, 75, 100].map((width) => button(`Width ${width}`, width)).join('')}</div>`,
  ),
  tables: TABLE(3) + TABLE(14),
  media:
    mediaText('left-media') +
    mediaText('has-media-on-the-right right-media') +
    cover('top-left') +
    cover('bottom-right') +
    RATIOS.map((ratio) => embed(ratio)).join(''),
  groups:
    paragraph('Normal', 'normal') +
    block(
      'group',
      { ...padded, layout: { type: 'constrained' } },
      `<div class="wp-block-group" style="border-width:3px;padding-right:40px;padding-left:40px">${paragraph('In a group')}</div>`,
    ) +
    block(
      'details',
      {},
      `<details class="wp-block-details" open><summary>More</summary>${paragraph('Details')}</details>`,
    ) +
    block(
      'quote',
      { className: 'is-style-large' },
      `<blockquote class="wp-block-quote is-style-large">${paragraph('Quote')}<cite>Rosa</cite></blockquote>`,
    ) +
    block(
      'pullquote',
      {},
      `<figure class="wp-block-pullquote"><blockquote><p>Pull</p><cite>Rosa</cite></blockquote></figure>`,
    ) +
    block('code', {}, `<pre class="wp-block-code"><code>${'code '.repeat(80)}</code></pre>`) +
    block('separator', {}, '<hr class="wp-block-separator has-alpha-channel-opacity"/>'),
  blocks:
    '<!-- wp:latest-posts {"postLayout":"grid","columns":3,"postsToShow":6} /-->\n' +
    '<!-- wp:navigation --><!-- wp:page-list /--><!-- /wp:navigation -->\n' +
    '<!-- wp:site-title /-->\n<!-- wp:search {"label":"Search"} /-->\n<!-- wp:tag-cloud /-->\n<!-- wp:calendar /-->\n' +
    '<!-- wp:query {"query":{"perPage":2,"postType":"post"}} --><div class="wp-block-query"><!-- wp:post-template {"layout":{"type":"grid","columnCount":2}} --><!-- wp:post-title {"isLink":true} /--><!-- wp:post-excerpt /--><!-- /wp:post-template --></div><!-- /wp:query -->\n' +
    '<!-- wp:post-comments-form /-->',
} as const
