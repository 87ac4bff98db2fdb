import { BLOCK_LOOKS } from './block-looks.ts'
import { SECTIONS } from './block-sections.ts'
import { TEMPLATE_BLOCK_STYLES } from './template-block-styles.ts'

/**
 * Returns the styles of core blocks, independent of the theme. Structural rules use `:where()` to keep specificity low;
 * colors, borders, padding and font sizes are in a cascade layer, so that every rule of the theme wins.
 * @param mark prefix of block classes
 */
export function blockStyles(mark: string): string {
  return `@layer blocks {${BLOCK_LOOKS}}${BOXES}${TEXTS}${MEDIA}${LISTS}${TEMPLATE_BLOCK_STYLES}${SECTIONS}`
    .replaceAll('.B-', `.${mark}-block-`)
    .replaceAll('.M-', `.${mark}-`)
    .replaceAll('--M--', `--${mark}--`)
    .trim()
}

// Placeholders: `.B-` for the prefix of block classes, `.M-` and `--M--` for the prefix of other classes and variables.
/** Blocks that include their padding and border in their width, so that they end where their neighbors end. */
const BORDER_BOXES = [
  'archives audio avatar buttons categories code columns details file group latest-comments latest-posts list loginout',
  'media-text page-list preformatted rss tag-cloud verse video',
  'comment-author-name comment-content comment-date comment-edit-link comment-reply-link comment-template comments-title',
  'post-author post-author-biography post-author-name post-comments-count post-comments-form post-comments-link',
  'post-date post-excerpt post-template post-terms post-time-to-read post-title query-title site-logo site-tagline',
  'site-title term-description term-template',
].flatMap((names) => names.split(' '))
const BOXES = `
:where(${BORDER_BOXES.map((name) => `.B-${name}`).join(', ')}) { box-sizing: border-box }
:where(.B-list :is(ul, ol), .B-avatar img) { box-sizing: border-box }
`

const TEXTS = `
:where(.has-drop-cap:not(:focus))::first-letter { float: left; font-size: 8.4em; font-style: normal; font-weight: 100; line-height: 0.68; margin: 0.05em 0.1em 0 0; text-transform: uppercase }
.has-text-align-justify { text-align: justify }
.M-site-blocks { overflow-wrap: break-word }
:where(.B-code, .B-preformatted, .B-verse, pre) { overflow-x: auto; white-space: pre; tab-size: 4 }
:where(.B-code code) { display: block; font-family: inherit; white-space: inherit }
:where(.B-preformatted, .B-verse) { white-space: pre-wrap }
:where(.B-quote, .B-pullquote, .B-pullquote blockquote) { margin-inline: 0 }
:where(.B-quote, .B-pullquote) > :where(* + *), :where(.B-pullquote blockquote) > :where(* + *) { margin-block-start: 0.75em }
:where(.B-separator.is-style-dots) { height: auto; text-align: center }
:where(.B-separator.is-style-dots)::before { content: '· · ·'; font-size: 1.5em; letter-spacing: 1em; padding-inline-start: 1em }
:where(.B-table) { margin-inline: 0; overflow-x: auto }
:where(.B-table table) { border-collapse: collapse; width: 100% }
:where(.B-table .has-fixed-layout) { table-layout: fixed }
:where(.B-table:is(.alignleft, .alignright, .aligncenter)) { display: table; width: auto }
:where(.B-button__link) { box-sizing: border-box; display: inline-block; overflow-wrap: anywhere; text-align: center }
.B-button:is(.is-style-squared, .no-border-radius) > .B-button__link { border-radius: 0 }
:where(.B-button.aligncenter) { text-align: center }
:where(.B-button.has-custom-width) { max-width: none }
:where(.B-button.has-custom-width .B-button__link) { width: 100% }
:where(.B-button__width-25) { width: calc(25% - var(--M--style--block-gap, 0.5em) * 0.75) }
:where(.B-button__width-50) { width: calc(50% - var(--M--style--block-gap, 0.5em) * 0.5) }
:where(.B-button__width-75) { width: calc(75% - var(--M--style--block-gap, 0.5em) * 0.25) }
:where(.B-button__width-100) { flex-basis: 100%; width: 100% }
:where(.B-details summary) { cursor: pointer }
:where(.B-details > :not(summary)) { margin-block-start: 0.75em }
:where(.B-spacer) { clear: both }
:where(.B-text-columns) { display: grid; gap: 2em; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)) }
`

// Avatars without a height in CSS keep the size of their attributes if the image does not load.
const MEDIA = `
:where(img, video, iframe, object, embed) { max-width: 100% }
:where(img:not(.avatar), video) { height: auto }
:where(figure) { margin-inline: 0 }
:where(.B-image, .B-image > figure, .B-embed, .B-video, .B-audio, .B-gallery, .B-table) > :where(figcaption), .M-caption-text { margin-block: 0.5em 1em }
:where(.B-image) img { box-sizing: border-box; vertical-align: bottom }
:where(.B-image, .B-image > figure) > :where(a) { display: inline-block }
:where(.B-image.alignwide, .B-image.alignfull) > :where(img, a > img) { width: 100% }
:where(.B-image.aligncenter) { text-align: center }
:where(.B-image:is(.alignleft, .alignright, .aligncenter), .B-image > :is(.alignleft, .alignright, .aligncenter)) { display: table }
:where(.B-image:is(.alignleft, .alignright, .aligncenter), .B-image > :is(.alignleft, .alignright, .aligncenter)) > :where(figcaption) { caption-side: bottom; display: table-caption }
:where(.B-image > .aligncenter) { margin-inline: auto }
:where(.B-image > .alignleft, .M-caption.alignleft, p > .alignleft, p > a > .alignleft) { float: left; margin-inline: 0 1em; margin-block: 0.5em }
:where(.B-image > .alignright, .M-caption.alignright, p > .alignright, p > a > .alignright) { float: right; margin-inline: 1em 0; margin-block: 0.5em }
:where(img.aligncenter, .M-caption.aligncenter) { display: block; margin-inline: auto }
.B-image.is-style-rounded img { border-radius: 9999px }
.B-image.is-style-circle-mask img { clip-path: circle(closest-side) }
:where(.M-caption) { max-width: 100% }
.is-layout-constrained > .M-caption.M-caption { max-width: min(100%, var(--M--style--global--content-size, 100%)) }
:where(.B-gallery, .blocks-gallery-grid) { display: flex; flex-wrap: wrap }
:where(ul.B-gallery, .blocks-gallery-grid) { list-style: none; margin: 0; padding: 0 }
.B-gallery { --columns: 3 }
${[1, 2, 4, 5, 6, 7, 8].map((columns) => `.B-gallery.columns-${columns} { --columns: ${columns} }`).join('\n')}
.B-gallery.has-nested-images { --gap: var(--M--style--gallery-gap-default, var(--M--style--block-gap, 0.5em)); align-items: normal; gap: var(--gap) }
ul.B-gallery, .blocks-gallery-grid { --gap: 1em; gap: var(--gap); width: 100% }
.B-gallery figure.B-image, .blocks-gallery-item { box-sizing: border-box; display: flex; flex: 1 0 auto; flex-direction: column; justify-content: center; margin: 0; max-width: 100%; min-width: 0; position: relative; width: calc((100% - var(--gap)) / 2) }
.B-gallery.columns-1 :is(figure.B-image, .blocks-gallery-item) { width: 100% }
@media (min-width: 600px) {
  .B-gallery figure.B-image, .blocks-gallery-item { width: calc((100.01% - var(--gap) * (var(--columns) - 1)) / var(--columns) - 0.1px) }
}
.blocks-gallery-item > figure { align-items: flex-end; display: flex; height: 100%; justify-content: flex-start; margin: 0; position: relative }
:is(.B-gallery.has-nested-images, .blocks-gallery-item) img { display: block }
.B-gallery.is-cropped :is(figure.B-image, .blocks-gallery-item > figure) > :is(img, a) { flex: 1 0 auto; width: 100% }
.B-gallery.is-cropped figure.B-image :is(img, a), .B-gallery.is-cropped .blocks-gallery-item :is(img, a) { height: 100%; object-fit: cover; width: 100% }
:is(.B-gallery.has-nested-images figure.B-image, .blocks-gallery-item > figure) > figcaption { box-sizing: border-box; inset: auto 0 0; margin: 0; max-height: 100%; overflow: auto; position: absolute; width: 100% }
.B-gallery.has-nested-images figure.B-image > figcaption { background-image: linear-gradient(0deg, rgb(0 0 0 / 40%), transparent); color: #fff; font-size: 13px; padding: 1em; text-align: center; text-shadow: 0 0 2px #000 }
.blocks-gallery-item > figure > figcaption { background-image: linear-gradient(0deg, rgb(0 0 0 / 70%), rgb(0 0 0 / 30%) 70%, transparent); color: #fff; font-size: 0.8em; padding: 3em 0.77em 0.7em; text-align: center }
.B-gallery > figcaption { flex: 1 0 100% }
:where(.B-gallery:is(.alignleft, .alignright)) { max-width: 420px; width: 100% }
:where(.B-embed:is(.alignleft, .alignright)) { max-width: 360px; width: 100% }
:where(.gallery br) { display: none }
:where(.gallery-item, .gallery-item dt, .gallery-item dd) { margin: 0 }
.B-cover, .B-cover-image { align-items: center; background-position: 50%; background-size: cover; box-sizing: border-box; display: flex; justify-content: center; min-height: 27rem; overflow: clip; padding: 1em; position: relative }
:where(.B-cover, .B-cover-image) { color: #fff }
:where(.B-cover.is-light) { color: #000 }
.B-cover:is(.alignleft, .alignright) { max-width: 420px; width: 100% }
.has-background-dim { --dim: 0.5 }
${Array.from({ length: 11 }, (_, at) => `.has-background-dim-${at * 10} { --dim: ${at / 10} }`).join('\n')}
.B-cover > :is(.B-cover__background, .B-cover__gradient-background) { inset: 0; opacity: var(--dim, 0.5); position: absolute }
.B-cover.has-background-dim::before { background-color: inherit; content: ''; inset: 0; opacity: var(--dim); position: absolute; z-index: 1 }
.B-cover.has-background-dim > :is(.B-cover__inner-container, .B-cover-text) { position: relative; z-index: 1 }
.B-cover.has-left-content { justify-content: flex-start }
.B-cover.has-right-content { justify-content: flex-end }
.B-cover-text a { color: inherit }
.B-cover > :is(.B-cover__image-background, .B-cover__video-background) { border: 0; height: 100%; inset: 0; margin: 0; max-width: none; object-fit: cover; position: absolute; width: 100% }
.B-cover > .B-cover__image-background:is(.has-parallax, .is-repeated) { background-repeat: no-repeat; background-size: cover }
.B-cover > .B-cover__image-background.is-repeated { background-repeat: repeat; background-size: auto }
@media (prefers-reduced-motion: no-preference) {
  .B-cover > .B-cover__image-background.has-parallax { background-attachment: fixed }
}
.B-cover > .B-cover__inner-container { position: relative; width: 100% }
.B-cover:is(.is-position-top-left, .is-position-top-center, .is-position-top-right) { align-items: flex-start }
.B-cover:is(.is-position-bottom-left, .is-position-bottom-center, .is-position-bottom-right) { align-items: flex-end }
.B-cover:is([class*='-left'], [class*='-right'])[class*='is-position-'] > .B-cover__inner-container { width: auto }
.B-cover:is(.is-position-top-left, .is-position-center-left, .is-position-bottom-left) { justify-content: flex-start }
.B-cover:is(.is-position-top-right, .is-position-center-right, .is-position-bottom-right) { justify-content: flex-end }
.B-media-text { display: grid; grid-template-columns: 50% 1fr }
.B-media-text > .B-media-text__media { align-self: center; grid-area: 1 / 1; margin: 0 }
.B-media-text > .B-media-text__content { align-self: center; grid-area: 1 / 2; min-width: 0; padding: 0 8% }
.B-media-text.has-media-on-the-right { grid-template-columns: 1fr 50% }
.B-media-text.has-media-on-the-right > .B-media-text__media { grid-column: 2 }
.B-media-text.has-media-on-the-right > .B-media-text__content { grid-column: 1 }
.B-media-text.is-vertically-aligned-top > * { align-self: start }
.B-media-text.is-vertically-aligned-bottom > * { align-self: end }
:where(.B-media-text__media :is(img, video)) { vertical-align: middle; width: 100% }
.B-media-text:is(.is-image-fill, .is-image-fill-element) > .B-media-text__media { background-size: cover; height: 100%; min-height: 15rem }
.B-media-text.is-image-fill > .B-media-text__media img { clip-path: inset(50%); height: 1px; margin: -1px; position: absolute; width: 1px }
.B-media-text.is-image-fill-element > .B-media-text__media img { height: 100%; object-fit: cover }
@media (max-width: 600px) {
  .B-media-text.is-stacked-on-mobile { grid-template-columns: 100% !important }
  .B-media-text.is-stacked-on-mobile > .B-media-text__media { grid-area: 1 / 1 }
  .B-media-text.is-stacked-on-mobile > .B-media-text__content { grid-area: 2 / 1 }
}
.B-columns.is-layout-flex { align-items: normal; gap: var(--M--style--block-gap, 2em) }
.B-columns.are-vertically-aligned-top { align-items: flex-start }
.B-columns.are-vertically-aligned-center { align-items: center }
.B-columns.are-vertically-aligned-bottom { align-items: flex-end }
:where(.B-columns > .B-column) { flex-basis: 0; flex-grow: 1; min-width: 0; overflow-wrap: anywhere }
.B-columns > .B-column[style*='flex-basis'] { flex-grow: 0 }
.B-column.is-vertically-aligned-top { align-self: flex-start }
.B-column.is-vertically-aligned-center { align-self: center }
.B-column.is-vertically-aligned-bottom { align-self: flex-end }
@media (max-width: 781px) {
  .B-columns:not(.is-not-stacked-on-mobile) { flex-wrap: wrap !important }
  .B-columns:not(.is-not-stacked-on-mobile) > .B-column { flex-basis: 100% !important }
}
@media (min-width: 782px) {
  .B-columns.is-layout-flex { flex-wrap: nowrap }
}
:where(.B-embed.M-has-aspect-ratio iframe) { aspect-ratio: 16 / 9; border: 0; height: auto; width: 100% }
${['21-9', '18-9', '4-3', '1-1', '9-16', '1-2'].map((ratio) => `:where(.M-embed-aspect-${ratio} iframe) { aspect-ratio: ${ratio.replace('-', ' / ')} }`).join('\n')}
:where(.B-embed__wrapper) { overflow-wrap: anywhere }
:where(.B-video video, .B-audio audio) { width: 100% }
:where(.B-file__button) { display: inline-block; margin-inline-start: 0.75em }
`

const LISTS = `
:where(.B-post-template, .B-term-template, .B-comment-template, .B-social-links) { list-style: none; margin-inline: 0; padding: 0 }
.B-post-template.is-flex-container { display: flex; flex-wrap: wrap; gap: 1.5em }
.B-post-template.is-flex-container > li { flex: 1 1 14rem }
${[2, 3, 4, 5, 6].map((columns) => `:is(.B-post-template, .B-term-template).is-layout-grid.columns-${columns} { grid-template-columns: repeat(auto-fill, minmax(max(12rem, ${Math.floor(100 / columns) - 4}%), 1fr)) }`).join('\n')}
:where(.B-query-pagination, .B-comments-pagination) { align-items: baseline; display: flex; flex-wrap: wrap; gap: 0.5em 1em; justify-content: space-between }
:where(.B-search__inside-wrapper) { box-sizing: border-box; display: flex; gap: 10px; max-width: 100% }
:where(.B-search__input) { box-sizing: border-box; flex: 1 1 6em; min-width: 3rem; width: 100% }
:where(.B-search__button svg) { display: block; fill: currentColor; margin-inline: auto; min-width: 24px }
:where(.B-social-links) { display: flex; flex-wrap: wrap; gap: 0.5em }
:where(.B-social-link) { display: block }
:where(.B-social-link svg) { display: block; fill: currentColor; height: 1em; width: 1em }
.B-social-link-anchor { align-items: center; color: inherit; display: flex; text-decoration: none }
:where(.B-social-link-label:not(.screen-reader-text)) { font-size: 0.65em; margin-inline: 0.5em }
:where(.B-latest-posts.is-grid, .B-rss.is-grid) { display: flex; flex-wrap: wrap; gap: 1.25em; list-style: none; padding: 0 }
:is(.B-latest-posts, .B-rss).is-grid > li { box-sizing: border-box; margin: 0; width: calc((100% - 1.25em * (var(--columns, 3) - 1)) / var(--columns, 3) - 0.1px) }
${[2, 4, 5, 6].map((columns) => `.B-latest-posts.columns-${columns}, .B-rss.columns-${columns} { --columns: ${columns} }`).join('\n')}
@media (max-width: 600px) {
  .B-latest-posts.is-grid, .B-rss.is-grid { --columns: 1 }
}
:where(.B-latest-posts__list, .B-latest-comments, .B-rss) { list-style: none; padding: 0 }
:where(.B-latest-posts__list, .B-latest-comments, .B-rss) > :where(li + li) { margin-block-start: 0.75em }
:where(.B-latest-posts__post-author, .B-latest-posts__post-date, .B-rss__item-publish-date, .B-rss__item-author) { display: block }
:where(.B-latest-comments__comment-avatar) { display: block; float: left; height: 2.5em; margin-inline-end: 0.75em; width: 2.5em }
:where(.B-latest-comments.has-avatars) :where(.B-latest-comments__comment-meta, .B-latest-comments__comment-excerpt) { margin-inline-start: 3.25em }
:where(.B-latest-comments__comment-date) { display: block }
:where(.B-calendar table) { border-collapse: collapse; width: 100% }
:where(.B-calendar, .B-calendar :is(table, td, th)) { text-align: center }
:where(.B-tag-cloud a) { display: inline-block; margin-inline-end: 5px }
:where(.B-tag-cloud span) { display: inline-block; margin-inline-start: 5px }
:where(.B-archives-dropdown, .B-categories-dropdown) > :where(label) { display: block }
`
