import { lines, type BlockLines } from './attribute-lines.ts'

const ENLARGED = { lightbox: { enabled: true } }
const PICTURE = (at: number) =>
  `<!-- wp:image --><figure class="wp-block-image"><img src="https://a.test/${at}.jpg" alt=""/></figure><!-- /wp:image -->`
const PICTURES = Array.from({ length: 12 }, (_, at) => PICTURE(at)).join('')
const IN_ORDER = Array.from({ length: 12 }, (_, at) => `src="https://a.test/${at}\\.jpg" alt=""/>.*`).join('')
const FEATURED = { useFeaturedImage: true }
const ITEM =
  '<!-- wp:accordion-heading --><h3 class="wp-block-accordion-heading"><button type="button">Title</button></h3>' +
  '<!-- /wp:accordion-heading --><!-- wp:accordion-panel --><div class="wp-block-accordion-panel"></div><!-- /wp:accordion-panel -->'
const PANEL = '<section role="tabpanel" class="wp-block-tab-panel"><p>Text</p></section>'
const TAB_LIST = '<div role="tablist" class="wp-block-tab-list"><button type="button" role="tab">One</button></div>'
const IN_TABS = (list: string, panels: string) =>
  `<!-- wp:tabs --><div class="wp-block-tabs">${list}<!-- wp:tab-panels --><div>${panels}</div><!-- /wp:tab-panels --></div><!-- /wp:tabs -->`
const TRACK = (title: string) =>
  `<!-- wp:playlist-track {"src":"https://a.test/${title}.mp3","title":"${title}","artist":"Rosa","length":"3:45","image":"https://a.test/${title}.jpg"} /-->`

/** The blocks whose stored HTML the server changes, and the blocks whose parts readers open or play. */
export const CHANGED_LINES: Readonly<Record<string, BlockLines>> = {
  accordion: {
    inside: `<div class="wp-block-accordion"><!-- wp:accordion-item --><div>${ITEM}</div><!-- /wp:accordion-item --></div>`,
    lines: {
      autoclose: [true, /<details[^>]* name="accordion-/],
      ...lines('stored', 'iconPosition showIcon headingLevel'),
      levelOptions: 'editor',
    },
  },
  'accordion-heading': {
    inside: '<h3 class="wp-block-accordion-heading"><button type="button">Title</button></h3>',
    lines: lines('stored', 'openByDefault title level iconPosition showIcon'),
  },
  'accordion-item': {
    inside: `<div class="wp-block-accordion-item">${ITEM}</div>`,
    lines: { openByDefault: [true, /<details[^>]* open=""/] },
  },
  cover: {
    inside: '<div class="wp-block-cover"><div class="wp-block-cover__inner-container"></div></div>',
    lines: {
      useFeaturedImage: [true, /^<div[^>]*><img[^>]* wp-block-cover__image-background"/],
      alt: ['Seen', 'alt="Seen"', FEATURED],
      hasParallax: [true, '__image-background has-parallax" style="', FEATURED],
      isRepeated: [true, '__image-background is-repeated" style="', FEATURED],
      focalPoint: [{ x: 0.25, y: 0.75 }, 'object-position:25% 75%', FEATURED],
      sizeSlug: ['medium', 'size-medium', FEATURED],
      ...lines(
        'stored',
        'url id dimRatio overlayColor customOverlayColor backgroundType minHeight minHeightUnit customGradient ' +
          'contentPosition isDark tagName poster',
      ),
      ...lines('editor', 'isUserOverlayColor templateLock allowedVideoProviders'),
    },
  },
  gallery: {
    inside: `<figure class="wp-block-gallery">${PICTURES}</figure>`,
    lines: {
      randomOrder: [true, new RegExp(`^<figure(?!.*${IN_ORDER})`, 's')],
      navigationButtonType: 'script',
      ...lines('stored', 'images ids columns caption imageCrop fixedHeight linkTarget linkTo sizeSlug aspectRatio'),
      ...lines('editor', 'shortCodeTransforms allowResize'),
      dynamicContent: 'absent',
    },
  },
  image: {
    inside: '<figure class="wp-block-image"><img src="https://a.test/small.jpg" alt="Leaf"/></figure>',
    lines: {
      lightbox: [{ enabled: true }, '<button type="button" class="lightbox-trigger"'],
      id: ['@image', /<div popover[^>]*>.*<img src="[^"]*uploads/s, ENLARGED],
      ...lines(
        'stored',
        'url alt caption title href rel linkClass width height aspectRatio scale focalPoint sizeSlug linkTarget isDecorative',
      ),
      ...lines('editor', 'blob linkDestination'),
    },
  },
  'media-text': {
    inside: '<div class="wp-block-media-text"><figure class="wp-block-media-text__media"></figure></div>',
    lines: {
      useFeaturedImage: [true, '__media"><img'],
      mediaSizeSlug: ['medium', 'size-medium', FEATURED],
      imageFill: [true, 'object-position:50% 50%', FEATURED],
      focalPoint: [{ x: 0.25, y: 0.75 }, 'object-position:25% 75%', { ...FEATURED, imageFill: true }],
      ...lines(
        'stored',
        'align mediaAlt mediaPosition mediaUrl mediaLink linkTarget href rel linkClass mediaType mediaWidth ' +
          'isStackedOnMobile verticalAlignment',
      ),
      ...lines('editor', 'mediaId linkDestination'),
    },
  },
  playlist: {
    inside: TRACK('First') + TRACK('Last'),
    lines: {
      order: ['desc', />Last<.*>First</s],
      showTracklist: [false, /^<figure(?!.*Rosa)/s],
      showImages: [false, /^<figure(?!.*<img)/s],
      showArtists: [false, /^<figure(?!.*Rosa)/s],
      showNumbers: [false, '<ul class="wp-block-playlist__tracklist">'],
      showTrackLength: [false, /^<figure(?!.*3:45)/s],
      caption: ['Songs', '>Songs</figcaption>'],
      ...lines(
        'script',
        'type showPlayButtonArtwork waveformStyle waveformColor waveformGradient waveformBackgroundColor ' +
          'waveformBackgroundGradient',
      ),
    },
  },
  'playlist-track': {
    base: { src: 'https://a.test/a.mp3', image: 'https://a.test/a.jpg' },
    around: '<!-- wp:playlist -->%<!-- /wp:playlist -->',
    lines: {
      src: ['https://a.test/b.mp3', 'src="https://a.test/b.mp3"'],
      id: ['@film', '/2025/01/a.mp4"', { src: '' }],
      type: ['video', '<video controls'],
      title: ['A song', '__title">A song</span>'],
      artist: ['Rosa', '__artist">Rosa</span>'],
      album: ['Garden', '__album">Garden</span>'],
      image: ['https://a.test/c.jpg', 'src="https://a.test/c.jpg"'],
      imageAlt: ['A cover', 'alt="A cover"'],
      length: ['3:45', '__length">3:45</span>'],
      blob: 'editor',
    },
  },
  'tab-list': {
    around: IN_TABS('%', `<!-- wp:tab-panel -->${PANEL}<!-- /wp:tab-panel -->`),
    inside: TAB_LIST,
    lines: { tabs: 'stored' },
  },
  'tab-panel': {
    around: IN_TABS('', '%'),
    inside: PANEL,
    lines: { label: ['Shipping', /<section[^>]* aria-label="Shipping"/] },
  },
  'tab-panels': { inside: '<div></div>', lines: {} },
  tabs: {
    inside: `<div class="wp-block-tabs"><!-- wp:tab-panels --><div>${`<!-- wp:tab-panel -->${PANEL}<!-- /wp:tab-panel -->`.repeat(2)}</div><!-- /wp:tab-panels --></div>`,
    lines: {
      activeTabIndex: [1, /<section(?:(?!is-active).)*<section[^>]* is-active/s],
      editorActiveTabIndex: 'editor',
    },
  },
  'navigation-overlay-close': {
    place: 'overlay',
    lines: {
      displayMode: ['text', '__text">Close</span></button>'],
      text: ['Leave', 'aria-label="Leave"'],
    },
  },
}
