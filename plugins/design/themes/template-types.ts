/** A standard template and its purpose. */
export interface TemplateType {
  readonly slug: string
  readonly title: string
  readonly description: string
}

/** Standard templates that themes can provide. */
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

/** An area of a page that template parts are assigned to. */
export interface TemplatePartArea {
  readonly area: string
  readonly label: string
  readonly description: string
  readonly icon: string
  /** HTML element that surrounds the area. */
  readonly area_tag: string
}

/** Area of template parts that are not assigned to a specific area. */
export const NO_AREA = 'uncategorized'

/** Areas available in every theme. */
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
