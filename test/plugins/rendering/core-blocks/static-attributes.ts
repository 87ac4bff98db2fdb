import type { REASONS } from './attribute-lines.ts'

type Names = Partial<Record<keyof typeof REASONS, string>>

/** The attributes of the blocks whose HTML is stored, by the reason why the server does nothing with them. */
export const STORED_LINES: Readonly<Record<string, Names>> = {
  'accordion-panel': { editor: 'templateLock' },
  audio: { stored: 'src caption autoplay loop preload', editor: 'blob id' },
  button: { stored: 'tagName type url title text linkTarget rel', editor: 'placeholder' },
  buttons: {},
  code: { stored: 'content' },
  column: { stored: 'verticalAlignment width', editor: 'templateLock' },
  columns: { stored: 'verticalAlignment isStackedOnMobile', editor: 'templateLock' },
  details: { stored: 'showContent summary name', editor: 'placeholder' },
  embed: { stored: 'url caption type providerNameSlug', editor: 'allowResponsive responsive previewable' },
  file: {
    stored:
      'href fileId fileName textLinkHref textLinkTarget showDownloadButton downloadButtonText displayPreview previewHeight',
    editor: 'id blob',
  },
  freeform: { stored: 'content' },
  group: { stored: 'tagName', editor: 'templateLock' },
  heading: { stored: 'content level', editor: 'levelOptions placeholder' },
  html: { stored: 'content' },
  list: { stored: 'ordered values type start reversed', editor: 'placeholder' },
  'list-item': { stored: 'content', editor: 'placeholder' },
  math: { stored: 'latex mathML' },
  missing: { stored: 'originalName originalUndelimitedContent originalContent' },
  more: { stored: 'customText noTeaser' },
  nextpage: {},
  'page-list-item': { editor: 'id label title link hasChildren' },
  paragraph: { stored: 'content dropCap direction', editor: 'placeholder' },
  preformatted: { stored: 'content' },
  pullquote: { stored: 'value citation' },
  query: { children: 'queryId query', stored: 'tagName', script: 'enhancedPagination', editor: 'namespace' },
  quote: { stored: 'value citation textAlign' },
  separator: { stored: 'opacity tagName' },
  'social-links': {
    children: 'iconColor iconColorValue iconBackgroundColor iconBackgroundColorValue ' + 'openInNewTab showLabels',
    stored: 'size',
    editor: 'customIconColor customIconBackgroundColor',
  },
  spacer: { stored: 'height width' },
  table: { stored: 'hasFixedLayout caption head body foot' },
  'terms-query': { children: 'termQuery', stored: 'tagName' },
  'text-columns': { stored: 'content columns width' },
  verse: { stored: 'content' },
}
