import { ACTIVE_TABS } from './block-sections.ts'
import { SERVICE_COLORS } from './service-colors.ts'

/**
 * Colors, borders, padding and font sizes of core blocks, with the placeholders of the structural styles. Existing content
 * was written for these values: imported pages keep their lines and columns.
 */
export const BLOCK_LOOKS = `
:where(p, h1, h2, h3, h4, h5, h6, .B-columns, .B-list, .B-page-list, .B-preformatted).has-background { padding: 1.25em 2.375em }
.has-very-light-gray-color { color: #eee }
.has-very-light-gray-background-color { background-color: #eee }
.has-very-dark-gray-color { color: #313131 }
.has-very-dark-gray-background-color { background-color: #313131 }
:is(.has-border-color, [style*='border-color'], [style*='border-width']) { border-style: solid }
${['top', 'right', 'bottom', 'left'].map((side) => `[style*='border-${side}-color'], [style*='border-${side}-width'] { border-${side}-style: solid }`).join('\n')}
:is(.B-quote, .B-pullquote) cite { display: block }
.B-quote { box-sizing: border-box }
.B-quote:is(.is-style-large, .is-large) { padding: 0 1em }
.B-quote:is(.is-style-large, .is-large) > p { font-size: 1.5em }
.B-quote:is(.is-style-large, .is-large) > cite { font-size: 1.125em; text-align: right }
.B-button__link { border-radius: 9999px }
.B-pullquote { box-sizing: border-box; padding: 4em 0; text-align: center }
.B-pullquote p { font-size: inherit }
.B-pullquote:is(.alignleft, .alignright) { max-width: 420px }
.B-pullquote.is-style-solid-color > blockquote { margin-inline: auto; max-width: 60% }
.B-pullquote.is-style-solid-color p { font-size: 2em }
.B-separator { border: 0; border-top: 2px solid; height: 0 }
.B-separator.is-style-dots { border: 0; height: auto }
.B-table :is(td, th) { border: 1px solid; padding: 0.5em }
.B-table thead { border-bottom: 3px solid }
.B-table tfoot { border-top: 3px solid }
.B-table table:is(.has-border-color, [style*='border-color']) :is(td, th) { border-color: inherit }
.B-table.is-style-stripes { border-bottom: 1px solid #f0f0f0 }
.B-table.is-style-stripes :is(td, th) { border-color: transparent }
.B-table.is-style-stripes table:not(.has-background) tbody tr:nth-child(odd) { background-color: #f0f0f0 }
.B-gallery.has-nested-images > figcaption { text-align: center }
:is(.B-cover, .B-cover__background).has-background-dim:not([class*='-background-color'], .has-background-gradient) { background-color: #000 }
.B-cover-text { color: #fff; font-size: 2em; line-height: 1.25; max-width: 840px; padding: 0.44em; text-align: center }
.has-left-content > .B-cover-text { text-align: left }
.has-right-content > .B-cover-text { text-align: right }
.B-file { font-size: 0.8em }
.B-file__button { border-radius: 2em; padding: 0.5em 1em }
.B-search__input, .B-search__button-inside .B-search__inside-wrapper { border: 1px solid #949494 }
.B-search__input { font: inherit; padding: 8px }
.B-search__button { border-style: solid }
.B-search__button-inside .B-search__inside-wrapper { background: #fff; padding: 4px }
.B-search__button-inside .B-search__input { border: 0; padding: 0 4px }
.B-social-links { font-size: 24px }
.B-social-links.has-small-icon-size { font-size: 16px }
.B-social-links.has-large-icon-size { font-size: 36px }
.B-social-links.has-huge-icon-size { font-size: 48px }
.B-social-link { border-radius: 9999px }
.B-social-links:not(.is-style-logos-only) > .B-social-link { background-color: var(--service, #f0f0f0); color: var(--on-service, #444) }
.is-style-logos-only > .B-social-link { color: var(--service, #444) }
.B-social-links:not(.is-style-logos-only) .B-social-link-anchor { padding: 0.25em }
.is-style-pill-shape .B-social-link-anchor.B-social-link-anchor { padding-inline: calc(2em / 3) }
${SERVICE_COLORS}
.B-latest-comments__comment-avatar { border-radius: 1.5em }
.B-latest-comments__comment-date { font-size: 0.75em }
.B-latest-comments__comment-excerpt p { font-size: 0.875em }
.B-latest-posts :is(.B-latest-posts__post-author, .B-latest-posts__post-date), .B-rss :is(.B-rss__item-publish-date, .B-rss__item-author) { font-size: 0.8125em }
.B-post-author__byline { font-size: 0.5em }
.B-post-author__bio { font-size: 0.7em }
.B-post-comments-form :is(textarea, input:not([type='submit'])) { border: 1px solid #949494; font-family: inherit; font-size: 1em }
.B-post-comments-form :is(textarea, input:not([type='submit'], [type='checkbox'])) { padding: calc(0.667em + 2px) }
.B-read-more { text-decoration: none }
.B-accordion-heading { margin-block: 0 }
.B-accordion-heading__toggle { padding-block: 0.5em }
.B-accordion-item + .B-accordion-item { border-top: 1px solid }
.B-tab-list__tab { border-bottom: 2px solid transparent; color: inherit; padding: 0.5em 1em; text-decoration: none }
${ACTIVE_TABS.join(', ')} { border-bottom-color: currentColor }
.B-playlist-track { padding-block: 0.5em }
:is(.B-playlist-track__artist, .B-playlist-track__album, .B-playlist-track__length) { font-size: 0.8125em }
.B-navigation-overlay-close { background: none; border: 0; color: inherit; font: inherit; padding: 0.25em }
.lightbox-trigger { background: none; border: 0; color: #fff; padding: 0 }
.lightbox-trigger svg { background: rgb(0 0 0 / 60%); border-radius: 4px; padding: 4px }
.M-lightbox-overlay { background: Canvas; border: 0; color: CanvasText; padding: 0 }
.M-lightbox-close-button { background: none; border: 0; color: inherit; font: inherit; padding: 0.75em }
.B-calendar :is(th, td) { border: 1px solid; padding: 0.25em }
.B-calendar th { font-weight: 400 }
.B-calendar table:not(.has-background) th { background: #ddd }
.B-calendar table:not(.has-text-color) { color: #40464d }
.B-calendar :is(th, tbody td) { border-color: #ddd }
`
