// The same placeholders as in block-styles.ts.
// The `::after` of buttons extends the area that reacts to touch beyond their small icons.
const NAVIGATION = `
:where(.B-navigation) { position: relative }
:where(.B-navigation :is(.B-navigation__responsive-container, .B-navigation__responsive-close, .B-navigation__responsive-dialog, .B-navigation__responsive-container-content, .B-navigation__container, .B-page-list)) { align-items: inherit; flex-direction: inherit; flex-wrap: inherit; gap: inherit; justify-content: inherit }
:where(.B-navigation ul) { list-style: none; margin: 0; padding: 0 }
:where(.B-navigation__responsive-container-content, .B-navigation__container, .B-navigation .B-page-list) { display: flex }
:where(.B-navigation__container, .B-navigation .B-page-list):only-child { flex-grow: 1 }
:where(.B-navigation__container) > .B-page-list:not(:only-child) { display: contents }
:where(.B-navigation-item) { align-items: center; display: flex; position: relative }
.B-navigation-item__content { color: inherit; display: block; text-decoration: none }
.B-navigation .B-navigation__submenu-container { display: none; left: -0.75em; min-width: 12em; padding: 0.5em 0; position: absolute; top: 100%; z-index: 10 }
.B-navigation .B-navigation__submenu-container .B-navigation__submenu-container { flex-basis: 100%; left: 1em; position: static }
.B-navigation .has-child:is(:hover, :focus-within) > .B-navigation__submenu-container { display: block }
.B-navigation .B-navigation__submenu-container .has-child > .B-navigation__submenu-container { display: block }
.B-navigation .has-child.open-on-click:not(:focus-within) > .B-navigation__submenu-container { display: none }
.B-navigation .B-navigation__submenu-container .has-child.open-on-click > .B-navigation__submenu-container { display: block }
:where(.B-navigation__submenu-container .has-child) { flex-wrap: wrap }
:where(.B-navigation .B-navigation__submenu-container li) { padding: 0.25em 0.75em }
:where(.B-navigation__responsive-container-open, .B-navigation__responsive-container-close, .B-navigation__submenu-icon) { background: none; border: 0; color: inherit; cursor: pointer; font: inherit; padding: 0; position: relative }
:where(.B-navigation__responsive-container-open, .B-navigation__responsive-container-close, .B-navigation__submenu-icon)::after { content: ''; inset: -0.5em; position: absolute }
:where(.B-navigation__responsive-container-open, .B-navigation__responsive-container-close) svg { display: block }
:where(.B-navigation__responsive-container-open) { display: flex }
:where(.B-navigation__submenu-icon) { height: 0.6em; line-height: 0; margin-inline-start: 0.25em; width: 0.6em }
:where(.B-navigation__submenu-icon svg) { height: inherit; width: inherit }
.B-navigation__responsive-container[popover] { border: 0; box-sizing: border-box; height: 100%; inset: 0; margin: 0; max-height: none; max-width: none; overflow: auto; padding: 1.25rem; width: 100% }
.B-navigation__responsive-container-close { display: block; margin-inline-start: auto }
.B-navigation__responsive-container:popover-open :is(.B-navigation__responsive-container-content, .B-navigation__container, .B-page-list) { align-items: flex-start; flex-direction: column }
.B-navigation__responsive-container:popover-open .B-navigation__submenu-container { background: none; border: 0; box-shadow: none; display: block; flex-basis: 100%; position: static }
.B-navigation__responsive-container:popover-open .has-child { flex-wrap: wrap }
.B-navigation__responsive-container:popover-open .B-navigation__submenu-icon { display: none }
@media (min-width: 600px) {
  .B-navigation__responsive-container-open:not(.always-shown), .B-navigation__responsive-container:not(.hidden-by-default) .B-navigation__responsive-container-close { display: none }
  .B-navigation__responsive-container[popover]:not(.hidden-by-default) { background: none; color: inherit; display: block; height: auto; inset: auto; overflow: visible; padding: 0; position: static }
}
@media (max-width: 600px) {
  .B-navigation .has-child { position: static }
  .B-navigation .has-child > .B-navigation__submenu-container { left: 0; right: 0 }
}
`

const POSTS = `
.B-site-title :where(a) { color: inherit }
:is(.B-site-title, .B-post-title) :where(a) { font: inherit; letter-spacing: inherit; text-decoration: inherit }
.B-post-title :where(a) { display: inline-block }
:where(.B-post-title) { overflow-wrap: anywhere }
:where(.B-post-featured-image a) { display: block; height: 100% }
:where(.B-post-featured-image img) { box-sizing: border-box; vertical-align: bottom; width: 100% }
:where(.B-post-author) { display: flex; flex-wrap: wrap; gap: 0 1em }
:where(.B-post-author__content) { flex: 1 1 0 }
:where(.B-avatar img, .avatar) { vertical-align: middle }
:where(.B-avatar.aligncenter) { text-align: center }
:where(.B-read-more) { display: block; width: fit-content }
`

const COMMENTS = `
:where(ol.B-comment-template ol) { list-style: none; padding-inline-start: 2rem }
:where(.B-comment-template li) { clear: both }
:where(.comment-reply-title) { margin-block-end: 0 }
:where(.comment-reply-title small) { font-size: smaller; margin-inline-start: 0.5em }
:where(.B-post-comments-form label) { display: block; margin-block-end: 0.25em }
:where(.B-post-comments-form :is(textarea, input:not([type='submit'], [type='checkbox']))) { box-sizing: border-box; display: block; width: 100% }
:where(.B-post-comments-form input[type='submit']) { cursor: pointer; overflow-wrap: anywhere; white-space: normal }
`

/** Styles of the blocks that templates consist of: menus, titles, authors and comments. */
export const TEMPLATE_BLOCK_STYLES = NAVIGATION + POSTS + COMMENTS
