/** What a template of a known slug is for. */
export interface TemplateType {
  readonly slug: string
  readonly title: string
  readonly description: string
}

/** The templates that themes may have for the pages of every site. */
export const TEMPLATE_TYPES: readonly TemplateType[] = [
  type('index', 'Index', 'Used as a fallback template for all pages when a more specific template is not defined.'),
  type('home', 'Blog Home', 'The newest posts: the front page, or the page that was chosen for posts.'),
  type('front-page', 'Front Page', 'The front page, whether it shows posts or a page.'),
  type('singular', 'Single Entries', 'One post of any type, where there is no template for its type.'),
  type('single', 'Single Posts', 'One post, where there is no template for its type or its slug.'),
  type(
    'page',
    'Pages',
    'Displays a static page unless a custom template has been applied to that page or a dedicated template exists.',
  ),
  type('archive', 'All Archives', 'Any list of posts: of a term, an author, a date or a type.'),
  type('author', 'Author Archives', 'The posts of one user.'),
  type('category', 'Category Archives', 'The posts in one category.'),
  type('taxonomy', 'Taxonomy', 'The posts with one term of a custom taxonomy.'),
  type('date', 'Date Archives', 'The posts of one year, month or day.'),
  type('tag', 'Tag Archives', 'The posts with one tag.'),
  type('attachment', 'Attachment Pages', 'The page of a file in the media library.'),
  type('search', 'Search Results', 'What a search has found.'),
  type('privacy-policy', 'Privacy Policy', 'The page that tells how personal data is treated.'),
  type('404', 'Page: 404', 'Shown where there is nothing at a URL.'),
]

/** A place on a page that template parts are made for. */
export interface TemplatePartArea {
  readonly area: string
  readonly label: string
  readonly description: string
  readonly icon: string
  /** The element of HTML that surrounds it. */
  readonly area_tag: string
}

/** The area of template parts that belong nowhere in particular. */
export const NO_AREA = 'uncategorized'

/** The places that every theme has. */
export const TEMPLATE_PART_AREAS: readonly TemplatePartArea[] = [
  {
    area: NO_AREA,
    label: 'General',
    description: 'Parts for any place on a page.',
    icon: 'layout',
    area_tag: 'div',
  },
  {
    area: 'header',
    label: 'Header',
    description: 'The top of a page: the name of the site, its logo, its navigation.',
    icon: 'header',
    area_tag: 'header',
  },
  {
    area: 'footer',
    label: 'Footer',
    description: 'The end of a page.',
    icon: 'footer',
    area_tag: 'footer',
  },
]

function type(slug: string, title: string, description: string): TemplateType {
  return { slug, title, description }
}
