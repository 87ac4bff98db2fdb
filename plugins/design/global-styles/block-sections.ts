/** Tabs whose link is marked while the URL names their panel. Further tabs work, but are not marked. */
const MARKED_TABS = 12

/** Matches the panel that the URL names, or a panel with a heading or another anchor that it names. */
const NAMED = ':is(:target, :has(:target))'

/** Selectors of the active tab: the one whose panel the URL names, else the one that the block marks. */
export const ACTIVE_TABS: readonly string[] = [
  `.B-tabs:not(:has(> .B-tab-panels > ${NAMED})) > .B-tab-list > .is-active`,
  ...Array.from({ length: MARKED_TABS }, (_, at) => at + 1).map(
    (at) => `.B-tabs:has(> .B-tab-panels > :nth-child(${at})${NAMED}) > .B-tab-list > :nth-child(${at})`,
  ),
]

/** Structure of blocks whose parts readers open or play: accordions, tabs, enlarged images, playlists. */
export const SECTIONS = `
:where(.B-accordion-heading__summary) { cursor: pointer; list-style: none }
:where(.B-accordion-heading__summary)::-webkit-details-marker { display: none }
:where(.B-accordion-heading__toggle) { align-items: center; display: flex; gap: 0.5em; justify-content: space-between; width: 100% }
:where(.B-accordion-heading__toggle-title) { flex: 1 }
.B-accordion-item[open] > summary .B-accordion-heading__toggle-icon { transform: rotate(45deg) }
:where(.B-tab-list) { display: flex; flex-wrap: wrap }
:where(.B-tab-panel) { scroll-margin-block-start: 5rem }
.B-tabs > .B-tab-panels:has(> ${NAMED}) > .B-tab-panel:not(${NAMED}), .B-tabs > .B-tab-panels:not(:has(> ${NAMED})) > .B-tab-panel:not(.is-active) { display: none }
@media print {
  .B-tabs > .B-tab-panels > .B-tab-panel.B-tab-panel.B-tab-panel { display: block }
}
.M-lightbox-container { position: relative }
.lightbox-trigger { cursor: zoom-in; inset: 0; position: absolute }
.lightbox-trigger svg { inset-block-start: 1em; inset-inline-end: 1em; opacity: 0; position: absolute }
:is(.M-lightbox-container:hover, .lightbox-trigger:focus-visible) svg { opacity: 1 }
@media (hover: none) {
  .lightbox-trigger svg { opacity: 1 }
}
:where(.M-lightbox-container > figcaption) { position: relative; z-index: 1 }
.M-lightbox-overlay { height: 100dvh; inset: 0; margin: 0; max-height: none; max-width: none; width: 100vw }
.M-lightbox-overlay img { height: calc(100% - 8rem) !important; inset: 4rem 0 !important; max-width: none !important; object-fit: contain !important; pointer-events: none; position: absolute !important; width: 100% !important }
.M-lightbox-close-button { align-items: flex-start; cursor: zoom-out; display: flex; inset: 0; justify-content: flex-end; position: absolute }
:where(.B-playlist__tracklist) { padding-inline-start: 1.5em }
:where(ul.B-playlist__tracklist) { list-style: none; padding: 0 }
:where(.B-playlist-track :is(audio, video)) { display: block; margin-block-start: 0.25em; width: 100% }
:where(.B-playlist-track__image) { float: left; height: 3em; margin-inline-end: 0.75em; object-fit: cover; width: 3em }
:where(.B-playlist-track__artist, .B-playlist-track__album, .B-playlist-track__length) { margin-inline-start: 0.75em }
:where(.B-navigation-overlay-close) { align-items: center; cursor: pointer; display: flex; gap: 0.25em; margin-inline-start: auto }
@media (max-width: 599px) {
  .B-navigation__inline { display: none }
}
`
