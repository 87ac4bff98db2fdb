// Every attribute of every core block: a value with the HTML that only this value gives, or the reason why the server
// has nothing to do. `attributes.test.ts` renders each value, and fails if a block has an attribute without a line here.
import { lines, type BlockLines, type Line } from './attribute-lines.ts'
import { CHANGED_LINES } from './changed-blocks.ts'

const COMMENTS =
  '<!-- wp:comments --><div><!-- wp:comment-template -->%<!-- /wp:comment-template --></div><!-- /wp:comments -->'
const QUERY = (values = '') =>
  `<!-- wp:query {"queryId":1,"query":{"perPage":2,"postType":"post","inherit":false${values}}} --><div>%</div><!-- /wp:query -->`
/** Shows a block in a list with one post or page. */
const SHOWN_POST = (postType: string, search: string) =>
  QUERY(`,"postType":"${postType}","search":"${search}"`).replace(
    '%',
    '<!-- wp:post-template -->%<!-- /wp:post-template -->',
  )
const INHERITED = '<!-- wp:query {"query":{"inherit":true}} --><div>%</div><!-- /wp:query -->'
const TERMS =
  '<!-- wp:terms-query {"termQuery":{"taxonomy":"category","perPage":9}} --><div><!-- wp:term-template -->%<!-- /wp:term-template --></div><!-- /wp:terms-query -->'
const NAVIGATION = '<!-- wp:navigation -->%<!-- /wp:navigation -->'
const SUBMENU = '<!-- wp:navigation-link {"label":"Inner","url":"/inner"} /-->'
const LINKED = { isLink: true }
const IMAGES = { displayFeaturedImage: true }
const LINK = { base: { label: 'Label', url: 'https://a.test/' }, around: NAVIGATION }
const LINK_LINES: Record<string, Line> = {
  label: ['Other label', 'Other label</span>'],
  description: ['Words below', '__description">Words below'],
  rel: ['nofollow', 'rel="nofollow"'],
  title: ['A hint', 'title="A hint"'],
  url: ['https://b.test/', 'href="https://b.test/"'],
  opensInNewTab: [true, 'target="_blank"'],
  id: ['@third', 'a-third', { url: '', kind: 'post-type' }],
  kind: ['post-type', 'a-third', { url: '', id: '@third' }],
  type: ['post', 'a-third', { url: '', id: '@third' }],
}

/** The blocks that the server renders. */
export const RENDERED_LINES: Readonly<Record<string, BlockLines>> = {
  ...CHANGED_LINES,
  'legacy-widget': { lines: lines('absent', 'id idBase instance') },
  'widget-group': { inside: '<p>x</p>', lines: { title: ['Group', '<h2 class="widget-title">Group</h2>'] } },
  archives: {
    lines: {
      displayAsDropdown: [true, '<select id="wp-block-archives-1" name="archive-dropdown"'],
      showLabel: [false, '__label screen-reader-text', { displayAsDropdown: true }],
      showPostCounts: [true, '&nbsp;(3)'],
      type: ['yearly', '>2024</a>'],
    },
  },
  avatar: {
    lines: {
      userId: [2, "alt='Beth Avatar'"],
      size: [17, "height='17' width='17'"],
      isLink: [true, 'class="wp-block-avatar__link"'],
      linkTarget: ['_blank', 'target="_blank"', { isLink: true }],
    },
  },
  block: { lines: { ref: ['@reused', 'Reused words'], content: 'children' } },
  breadcrumbs: {
    lines: {
      prefersTaxonomy: [true, '>North</a>', {}, SHOWN_POST('page', 'Child')],
      separator: ['>', '--separator: &quot;&gt;&quot;'],
      showHomeItem: [false, /^<nav(?!.*>Home<)/],
      showCurrentItem: [false, /^<nav(?!.*aria-current)/],
      showOnHomePage: [true, '<nav', {}, SHOWN_POST('page', 'Front door')],
    },
  },
  calendar: { base: { month: 5, year: 2023 }, lines: { month: [4, 'April 2023'], year: [2024, 'May 2024'] } },
  categories: {
    lines: {
      taxonomy: ['post_tag', 'taxonomy-post_tag'],
      displayAsDropdown: [true, '<select'],
      showHierarchy: [true, "<ul class='children'>"],
      showPostCounts: [true, '</a> (3)'],
      showOnlyTopLevel: [true, /^<ul(?!.*>Below<)/s],
      showEmpty: [true, '>Empty</a>'],
      label: ['Choose', '>Choose</label>', { displayAsDropdown: true }],
      showLabel: [false, '__label screen-reader-text', { displayAsDropdown: true }],
    },
  },
  'comment-author-name': {
    around: COMMENTS,
    lines: { isLink: [false, '<div class="wp-block-comment-author-name">Visitor'], linkTarget: ['_blank', '_blank'] },
  },
  'comment-content': { around: COMMENTS, lines: {} },
  'comment-date': {
    around: COMMENTS,
    lines: { format: ['Y/m/d', '2025/06/01'], isLink: [false, '>June 1, 2025</time>'] },
  },
  'comment-edit-link': { place: 'page', around: COMMENTS, lines: { linkTarget: ['_blank', 'target="_blank"'] } },
  'comment-reply-link': { around: COMMENTS, lines: {} },
  'comment-template': { lines: {} },
  comments: { lines: { tagName: 'stored', legacy: [true, 'wp-block-comment-template'] } },
  'post-comments': { lines: { textAlign: ['right', 'has-text-align-right'] } },
  'comments-pagination': { lines: { paginationArrow: 'children' } },
  'comments-pagination-next': { place: 'page', lines: { label: ['Later', '>Later</a>'] } },
  'comments-pagination-numbers': { lines: {} },
  'comments-pagination-previous': { place: 'page', lines: { label: ['Before', '>Before</a>'] } },
  'comments-title': {
    lines: {
      showPostTitle: [false, /<h2[^>]*>(?:(?!Around).)*<\/h2>/],
      showCommentsCount: [false, /<h2[^>]*>Response/],
      level: [3, '<h3'],
      levelOptions: 'editor',
    },
  },
  footnotes: { lines: {} },
  'home-link': {
    around: NAVIGATION,
    lines: {
      label: ['Start', '>Start</a>'],
      opensInNewTab: [true, 'target="_blank"'],
      description: ['Words below', '__description">Words below'],
    },
  },
  icon: {
    base: { icon: 'core/video' },
    lines: {
      icon: ['core/capture-video', 'M4 7.5h10.5v9H4z'],
      flipHorizontal: [true, 'transform:scale(-1, 1)'],
      flipVertical: [true, 'transform:scale(1, -1)'],
      rotation: [90, 'transform:rotate(90deg)'],
    },
  },
  'latest-comments': {
    lines: {
      commentsToShow: [1, /^<ol(?:(?!<li).)*<li(?!.*<li)/s],
      displayAvatar: [false, /^<ol(?!.*has-avatars)/],
      displayDate: [false, /^<ol(?!.*<time)/],
      displayContent: ['full', /last words of a comment/],
    },
  },
  'latest-posts': {
    lines: {
      categories: ['@above', /^<ul(?!.*>Second<)/s, { postsToShow: 100 }],
      selectedAuthor: ['@beth', /^<ul(?!.*>First<)/s, { postsToShow: 100 }],
      postsToShow: [1, /^<ul(?:(?!<li>).)*<li>(?!.*<li>)/s],
      displayPostContent: [true, '__post-excerpt'],
      displayPostContentRadio: ['full_post', '__post-full-content', { displayPostContent: true }],
      excerptLength: [2, 'one two… <a', { displayPostContent: true, postsToShow: 100 }],
      displayAuthor: [true, 'has-author'],
      displayPostDate: [true, 'has-dates'],
      order: ['asc', /A third.*First/s],
      orderBy: ['title', /Second.*First.*Around/s],
      displayFeaturedImage: [true, '__featured-image'],
      featuredImageAlign: ['left', 'alignleft', IMAGES],
      featuredImageSizeSlug: ['full', 'size-full', IMAGES],
      featuredImageSizeWidth: [77, 'max-width:77px', IMAGES],
      featuredImageSizeHeight: [78, 'max-height:78px', IMAGES],
      addLinkToFeaturedImage: [true, 'aria-label="Around"><img', IMAGES],
    },
  },
  loginout: {
    lines: {
      displayLoginAsForm: [true, '<form name="loginform"'],
      redirectToCurrent: [false, /^<div(?!.*redirect_to)/],
    },
  },
  navigation: {
    base: { ref: '@menu' },
    lines: {
      ref: ['@otherMenu', 'href="/other-menu"'],
      ...lines('children', 'showSubmenuIcon submenuVisibility maxNestingLevel'),
      overlayMenu: ['never', /^<nav(?!.*popover)/],
      overlay: ['one', /popover[^>]*>.*First part/s],
      icon: ['menu', 'M4 6h16M4 12h16M4 18h16'],
      hasIcon: [false, '>Menu</button>'],
      overlayBackgroundColor: ['contrast', 'has-contrast-background-color'],
      customOverlayBackgroundColor: ['#123456', 'background-color:#123456'],
      overlayTextColor: ['accent', 'has-accent-color'],
      customOverlayTextColor: ['#654321', 'color:#654321'],
      textColor: ['contrast', 'has-text-color has-contrast-color'],
      backgroundColor: ['contrast', 'has-background has-contrast-background-color'],
      customTextColor: ['#345678', /^<nav style="[^"]*color:#345678/],
      customBackgroundColor: ['#876543', /^<nav style="[^"]*background-color:#876543/],
      ...lines('editor', 'rgbTextColor rgbBackgroundColor templateLock'),
      __unstableLocation: 'other',
    },
  },
  'navigation-link': { ...LINK, lines: { ...LINK_LINES, isTopLevelLink: 'editor' } },
  'navigation-submenu': {
    ...LINK,
    inside: SUBMENU,
    lines: { ...LINK_LINES, ...lines('editor', 'isTopLevelItem isParentSubmenu') },
  },
  'page-list': { lines: { parentPageID: ['@parent', /^<ul(?!.*Parent page)/s] } },
  pattern: { lines: { slug: ['garden/bed', 'Roses'] } },
  'post-author': {
    lines: {
      textAlign: ['right', 'has-text-align-right'],
      avatarSize: [17, "width='17'"],
      showAvatar: [false, /^<div(?!.*<img)/],
      showBio: [true, 'Words about the writer'],
      byline: ['Written by', '__byline">Written by'],
      isLink: [true, '<a href'],
      linkTarget: ['_blank', 'target="_blank"', LINKED],
    },
  },
  'post-author-biography': { lines: {} },
  'post-author-name': { lines: { isLink: [true, '__link'], linkTarget: ['_blank', 'target="_blank"', LINKED] } },
  'post-comments-count': { lines: {} },
  'post-comments-form': { lines: {} },
  'post-comments-link': { lines: {} },
  'post-content': {
    around: QUERY().replace('%', '<!-- wp:post-template -->%<!-- /wp:post-template -->'),
    lines: { tagName: ['section', '<section'] },
  },
  'post-date': {
    lines: {
      datetime: ['2020-02-03 10:00:00', '2020-02-03T'],
      format: ['Y/m', '2024/05</time>'],
      isLink: [true, '<a href'],
    },
  },
  'post-excerpt': {
    lines: {
      moreText: ['Go on', '__more-link'],
      showMoreOnNewLine: [false, /__excerpt">[^<]*<a/, { moreText: 'Go on' }],
      excerptLength: [1, '__excerpt">An&hellip;'],
    },
  },
  'post-featured-image': {
    lines: {
      isLink: [true, '<a href'],
      aspectRatio: ['4/3', 'aspect-ratio:4/3'],
      width: ['77px', 'width:77px'],
      height: ['78px', 'height:78px'],
      scale: ['contain', 'object-fit:contain'],
      sizeSlug: ['full', 'size-full'],
      rel: ['nofollow', 'rel="nofollow"', LINKED],
      linkTarget: ['_blank', 'target="_blank"', LINKED],
      overlayColor: ['contrast', 'has-contrast-background-color', { dimRatio: 30 }],
      customOverlayColor: ['#123456', 'background-color:#123456', { dimRatio: 30 }],
      dimRatio: [30, 'has-background-dim-30'],
      gradient: ['sunset', 'has-sunset-gradient-background', { dimRatio: 30 }],
      customGradient: ['linear-gradient(red,blue)', 'linear-gradient(red,blue)', { dimRatio: 30 }],
      useFirstImageFromPost: [true, 'src="https://a.test/first.jpg"', {}, SHOWN_POST('post', 'Pictured')],
    },
  },
  'post-navigation-link': {
    base: { type: 'previous' },
    lines: {
      type: ['next', /^(?!<div)/],
      label: ['Older', '>Older</a>'],
      showTitle: [true, '>First</a>'],
      linkLabel: [true, '__title">First</span></a>', { showTitle: true }],
      arrow: ['arrow', 'is-arrow-arrow'],
      taxonomy: ['post_tag', /^(?!.*<a)/],
    },
  },
  'post-template': { lines: {} },
  'post-terms': {
    base: { term: 'category' },
    lines: {
      term: ['post_tag', 'taxonomy-post_tag'],
      separator: [' / ', '__separator"> / </span>'],
      prefix: ['In', '__prefix">In'],
      suffix: ['!', '__suffix">!'],
    },
  },
  'post-time-to-read': {
    around: `<!-- wp:paragraph --><p>${'word '.repeat(20)}</p><!-- /wp:paragraph -->%`,
    lines: {
      displayAsRange: [false, '>1 minute<'],
      displayMode: ['words', '>20 words<'],
      averageReadingSpeed: [1, '16–24 minutes'],
    },
  },
  'post-title': {
    lines: {
      level: [4, '<h4'],
      isLink: [true, '<a href'],
      rel: ['nofollow', 'rel="nofollow"', LINKED],
      linkTarget: ['_blank', 'target="_blank"', LINKED],
      ...lines('editor', 'levelOptions placeholder'),
    },
  },
  'query-no-results': { around: QUERY(',"search":"nothing has this"'), inside: '<p>None</p>', lines: {} },
  'query-pagination': { lines: lines('children', 'paginationArrow showLabel') },
  'query-pagination-next': { around: QUERY(), lines: { label: ['Older', '>Older</a>'] } },
  'query-pagination-numbers': {
    place: 'page',
    around: INHERITED,
    lines: { midSize: [0, /current">4<\/span>\n<span class="page-numbers dots/] },
  },
  'query-pagination-previous': { place: 'page', around: INHERITED, lines: { label: ['Newer', '>Newer</a>'] } },
  'query-title': {
    place: 'page',
    base: { type: 'archive' },
    lines: {
      type: ['search', 'Search results for'],
      level: [3, '<h3'],
      showPrefix: [false, '>Above</h1>'],
      showSearchTerm: [false, '>Search results</h1>', { type: 'search' }],
      levelOptions: 'editor',
    },
  },
  'query-total': { around: QUERY(), lines: { displayType: ['range-display', 'Displaying 1 – 2 of'] } },
  'read-more': { lines: { content: ['Go on', '>Go on<span'], linkTarget: ['_blank', 'target="_blank"'] } },
  rss: {
    base: { feedURL: '@feed' },
    lines: {
      feedURL: ['none', '<div class="components-placeholder">'],
      itemsToShow: [1, /^<ul(?:(?!<li).)*<li(?!.*<li)/s],
      blockLayout: ['grid', 'is-grid columns-2'],
      columns: [4, 'columns-4', { blockLayout: 'grid' }],
      displayExcerpt: [true, '__item-excerpt">one two three'],
      excerptLength: [1, '__item-excerpt">one […]', { displayExcerpt: true }],
      displayAuthor: [true, 'by Rosa'],
      displayDate: [true, '<time datetime="2024-05-01T'],
      openInNewTab: [true, 'target="_blank"'],
      rel: ['nofollow', 'rel="nofollow"'],
    },
  },
  search: {
    lines: {
      label: ['Find', '>Find</label>'],
      showLabel: [false, 'screen-reader-text'],
      placeholder: ['Words', 'placeholder="Words"'],
      width: [70, 'width: 70%', { widthUnit: '%' }],
      widthUnit: ['px', 'width: 50px', { width: 50 }],
      buttonText: ['Find it', '>Find it</button>'],
      buttonPosition: ['no-button', /^<form(?!.*<button)/],
      buttonUseIcon: [true, 'has-icon'],
      query: [{ post_type: 'page' }, 'name="post_type" value="page"'],
      tagName: ['search', '<search class="'],
    },
  },
  shortcode: { lines: { text: 'stored' } },
  'site-logo': {
    lines: {
      width: [60, 'width="60"'],
      isLink: [false, /^<div[^>]*><img/],
      linkTarget: ['_blank', 'target="_blank"'],
      shouldSyncIcon: 'editor',
    },
  },
  'site-tagline': { lines: { level: [2, '<h2'], levelOptions: 'editor' } },
  'site-title': {
    lines: {
      level: [3, '<h3'],
      isLink: [false, /^<h1[^>]*>[^<]/],
      linkTarget: ['_blank', 'target="_blank"'],
      levelOptions: 'editor',
    },
  },
  'social-link': {
    base: { url: 'https://a.test/', service: 'github' },
    around: '<!-- wp:social-links --><ul>%</ul><!-- /wp:social-links -->',
    lines: {
      url: ['https://b.test/', 'href="https://b.test/"'],
      service: ['bluesky', 'wp-social-link-bluesky'],
      label: ['Profile', '>Profile</span>'],
      rel: ['me', 'rel="me"'],
    },
  },
  'tag-cloud': {
    base: { taxonomy: 'category' },
    lines: {
      numberOfTags: [1, /^<p(?:(?!<a).)*<a(?!.*<a)/s],
      taxonomy: ['post_tag', '>Tag</a>'],
      showTagCounts: [true, 'tag-link-count'],
      smallestFontSize: ['3pt', 'font-size: 3pt'],
      largestFontSize: ['77pt', 'font-size: 77pt'],
    },
  },
  'template-part': {
    base: { slug: 'one' },
    lines: {
      slug: ['two', 'Second part'],
      theme: ['other', /^(?!.*First part)/s],
      tagName: ['section', '<section'],
      area: ['header', '<header'],
    },
  },
  'term-count': { around: TERMS, lines: { bracketType: ['square', '[3]'] } },
  'term-description': { around: TERMS, lines: {} },
  'term-name': { around: TERMS, lines: { level: [3, '<h3'], isLink: [true, '<a href'], levelOptions: 'editor' } },
  'term-template': { lines: {} },
  video: {
    base: { id: '@film' },
    inside: '<figure class="wp-block-video"><video controls src="/a.mp4"></video></figure>',
    lines: {
      id: ['@other', 'height="90" style="aspect-ratio: 160 / 90;" width="160"'],
      width: [160, 'aspect-ratio: 160 / 90', { height: 90 }],
      height: [90, 'aspect-ratio: 160 / 90', { width: 160 }],
      ...lines('stored', 'autoplay caption controls loop muted poster preload src playsInline tracks'),
      blob: 'editor',
    },
  },
}
