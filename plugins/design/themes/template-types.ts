import { FORMAT_TAXONOMY, formatLabels, POST_FORMATS, slugOfFormat } from '../../content/taxonomies/index.ts'
import type { Words } from '../../foundation/translations/index.ts'

/** A standard template and its purpose. */
export interface TemplateType {
  readonly slug: string
  readonly title: string
  readonly description: string
}

/** Standard templates that themes can provide. */
export const TEMPLATE_TYPES: readonly TemplateType[] = [
  type('index', 'Index', 'Used as a fallback template for all pages when a more specific template is not defined.'),
  type('home', 'Blog Home', 'Displays the newest posts on the front page or on the posts page.'),
  type('front-page', 'Front Page', 'Displays the front page, whether it shows posts or a static page.'),
  type('singular', 'Single Entries', 'Displays any single entry that has no more specific template.'),
  type('single', 'Single Posts', 'Displays a single post that has no template for its type or slug.'),
  type(
    'page',
    'Pages',
    'Displays a static page unless a custom template has been applied to that page or a dedicated template exists.',
  ),
  type('archive', 'All Archives', 'Displays any archive: by term, author, date or content type.'),
  type('author', 'Author Archives', 'Displays the posts of an author.'),
  type('category', 'Category Archives', 'Displays the posts in a category.'),
  type('taxonomy', 'Taxonomy', 'Displays the posts with a term of a custom taxonomy.'),
  type('date', 'Date Archives', 'Displays the posts of a year, month or day.'),
  type('tag', 'Tag Archives', 'Displays the posts with a tag.'),
  type('attachment', 'Attachment Pages', 'Displays the page of a file in the media library.'),
  type('search', 'Search Results', 'Displays search results.'),
  type('privacy-policy', 'Privacy Policy', 'Displays the privacy policy page.'),
  type('404', 'Page: 404', 'Displays when no content is found.'),
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
    description: 'Template parts without a specific area.',
    icon: 'layout',
    area_tag: 'div',
  },
  {
    area: 'header',
    label: 'Header',
    description: 'The header of a page, typically with site title, logo and navigation.',
    icon: 'header',
    area_tag: 'header',
  },
  {
    area: 'footer',
    label: 'Footer',
    description: 'The footer of a page.',
    icon: 'footer',
    area_tag: 'footer',
  },
  {
    area: 'navigation-overlay',
    label: 'Navigation overlay',
    description: 'The menu that opens over the page, typically with links.',
    icon: 'navigation-overlay',
    area_tag: 'div',
  },
]

/** Returns the standard templates, and one for the archive of each post format, with their texts in a language. */
export function templateTypes(words: Words): TemplateType[] {
  const formats = formatLabels(words)
  return [
    ...TEMPLATE_TYPES.map(({ slug, title, description }) => ({
      slug,
      title: words.t(`template|${title}`),
      description: words.t(`template|${description}`),
    })),
    ...POST_FORMATS.map((name) => {
      const format = formats[name]
      return {
        slug: `taxonomy-${FORMAT_TAXONOMY}-${slugOfFormat(name)}`,
        title: words.t('template|Post Format: {format}', { format }),
        description: words.t('template|Displays the posts of the format {format}.', { format }),
      }
    }),
  ]
}

/** Returns the areas of template parts, with their texts in a language. */
export function templatePartAreas(words: Words): TemplatePartArea[] {
  return TEMPLATE_PART_AREAS.map((area) => ({
    ...area,
    label: words.t(`template|${area.label}`),
    description: words.t(`template|${area.description}`),
  }))
}

function type(slug: string, title: string, description: string): TemplateType {
  return { slug, title, description }
}
