import type { REASONS } from './attribute-table.ts'

type Names = Partial<Record<keyof typeof REASONS, string>>

/** The attributes of the blocks whose HTML is stored, by the reason why the server does nothing with them. */
export const STORED_LINES: Readonly<Record<string, Names>> = {
  accordion: { stored: 'iconPosition showIcon headingLevel', script: 'autoclose', editor: 'levelOptions' },
  'accordion-item': { stored: 'openByDefault' },
  'accordion-heading': { stored: 'openByDefault title level iconPosition showIcon' },
  'accordion-panel': { editor: 'templateLock' },
  audio: { stored: 'src caption autoplay loop preload', editor: 'blob id' },
  button: { stored: 'tagName type url title text linkTarget rel', editor: 'placeholder' },
  buttons: {},
  code: { stored: 'content' },
  column: { stored: 'verticalAlignment width', editor: 'templateLock' },
  columns: { stored: 'verticalAlignment isStackedOnMobile', editor: 'templateLock' },
  cover: {
    stored:
      'url id alt hasParallax isRepeated dimRatio overlayColor customOverlayColor backgroundType focalPoint minHeight ' +
      'minHeightUnit customGradient contentPosition isDark tagName poster',
    editor: 'isUserOverlayColor templateLock sizeSlug allowedVideoProviders',
    absent: 'useFeaturedImage',
  },
  details: { stored: 'showContent summary name', editor: 'placeholder' },
  embed: { stored: 'url caption type providerNameSlug', editor: 'allowResponsive responsive previewable' },
  file: {
    stored:
      'href fileId fileName textLinkHref textLinkTarget showDownloadButton downloadButtonText displayPreview previewHeight',
    editor: 'id blob',
  },
  freeform: { stored: 'content' },
  gallery: {
    stored: 'images ids columns caption imageCrop fixedHeight linkTarget linkTo sizeSlug aspectRatio',
    editor: 'shortCodeTransforms allowResize',
    absent: 'dynamicContent randomOrder',
    script: 'navigationButtonType',
  },
  group: { stored: 'tagName', editor: 'templateLock' },
  heading: { stored: 'content level', editor: 'levelOptions placeholder' },
  html: { stored: 'content' },
  image: {
    stored:
      'url alt caption title href rel linkClass id width height aspectRatio scale focalPoint sizeSlug linkTarget isDecorative',
    editor: 'blob linkDestination',
    script: 'lightbox',
  },
  list: { stored: 'ordered values type start reversed', editor: 'placeholder' },
  'list-item': { stored: 'content', editor: 'placeholder' },
  math: { stored: 'latex mathML' },
  'media-text': {
    stored:
      'align mediaAlt mediaPosition mediaUrl mediaLink linkTarget href rel linkClass mediaType mediaWidth ' +
      'mediaSizeSlug isStackedOnMobile verticalAlignment imageFill focalPoint',
    editor: 'mediaId linkDestination',
    absent: 'useFeaturedImage',
  },
  missing: { stored: 'originalName originalUndelimitedContent originalContent' },
  more: { stored: 'customText noTeaser' },
  'navigation-overlay-close': { absent: 'displayMode text' },
  nextpage: {},
  'page-list-item': { editor: 'id label title link hasChildren' },
  paragraph: { stored: 'content dropCap direction', editor: 'placeholder' },
  playlist: {
    script:
      'type order showTracklist showImages showPlayButtonArtwork showArtists showNumbers showTrackLength waveformStyle ' +
      'waveformColor waveformGradient waveformBackgroundColor waveformBackgroundGradient',
    stored: 'caption',
  },
  'playlist-track': { script: 'id src type album artist image imageAlt length title', editor: 'blob' },
  preformatted: { stored: 'content' },
  pullquote: { stored: 'value citation' },
  query: { children: 'queryId query', stored: 'tagName', script: 'enhancedPagination', editor: 'namespace' },
  quote: { stored: 'value citation textAlign' },
  separator: { stored: 'opacity tagName' },
  'social-links': {
    children:
      'iconColor customIconColor iconColorValue iconBackgroundColor customIconBackgroundColor iconBackgroundColorValue ' +
      'openInNewTab showLabels',
    stored: 'size',
  },
  spacer: { stored: 'height width' },
  'tab-list': { script: 'tabs' },
  'tab-panel': { script: 'label' },
  'tab-panels': {},
  table: { stored: 'hasFixedLayout caption head body foot' },
  tabs: { script: 'activeTabIndex', editor: 'editorActiveTabIndex' },
  'terms-query': { children: 'termQuery', stored: 'tagName' },
  'text-columns': { stored: 'content columns width' },
  verse: { stored: 'content' },
}
