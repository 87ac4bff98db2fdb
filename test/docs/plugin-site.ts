import { writePhp } from '../../plugins/compat/php-values.ts'

interface Item {
  readonly id: number
  readonly type?: string
  readonly slug: string
  readonly title: string
  readonly content?: string
  readonly excerpt?: string
  readonly parent?: number
  readonly order?: number
  readonly terms?: readonly (readonly [taxonomy: string, slug: string])[]
  readonly meta?: Readonly<Record<string, string>>
  /** Path of the file of an attachment. */
  readonly file?: string
}

const HOME = 'http://bakery.example'
const cdata = (text: string) => `<![CDATA[${text}]]>`

function itemOf({ id, type = 'post', slug, title, content = '', excerpt = '', parent = 0, order = 0, ...rest }: Item) {
  const { file, meta = {}, terms = [] } = rest
  const values = Object.entries(meta).map(
    ([key, value]) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:postmeta>`,
  )
  const categories = terms.map(
    ([taxonomy, name]) => `<category domain="${taxonomy}" nicename="${name}">${name}</category>`,
  )
  const url = file === undefined ? '' : `<wp:attachment_url>${HOME}/wp-content/uploads/${file}</wp:attachment_url>`
  return `<item><title>${title}</title><link>${HOME}/old/${slug}/</link><dc:creator>ada</dc:creator>
    <guid>${HOME}/?p=${id}</guid><content:encoded>${cdata(content)}</content:encoded>
    <excerpt:encoded>${cdata(excerpt)}</excerpt:encoded><wp:post_id>${id}</wp:post_id>
    <wp:post_date>2024-05-01 10:00:00</wp:post_date><wp:post_name>${slug}</wp:post_name>
    <wp:status>${type === 'attachment' ? 'inherit' : 'publish'}</wp:status><wp:post_parent>${parent}</wp:post_parent>
    <wp:menu_order>${order}</wp:menu_order><wp:post_type>${type}</wp:post_type>${url}
    ${categories.join('')}${values.join('')}</item>`
}

const field = (id: number, name: string, type: string, settings: object = {}): Item => ({
  id,
  type: 'acf-field',
  slug: `field_${name}`,
  title: name,
  excerpt: name,
  content: writePhp({ type, ...settings }),
  parent: 50,
})

const term = (id: number, taxonomy: string, slug: string, name: string, description = '') =>
  `<wp:term><wp:term_id>${id}</wp:term_id><wp:term_taxonomy>${taxonomy}</wp:term_taxonomy><wp:term_slug>${slug}</wp:term_slug>
  <wp:term_name>${cdata(name)}</wp:term_name><wp:term_description>${cdata(description)}</wp:term_description></wp:term>`

const menuItem = (id: number, title: string, order: number, meta: Readonly<Record<string, string>>): Item => ({
  id,
  type: 'nav_menu_item',
  slug: `item-${id}`,
  title,
  order,
  terms: [['nav_menu', 'main']],
  meta: Object.fromEntries(Object.entries(meta).map(([key, value]) => [`_menu_item_${key}`, value])),
})

const ITEMS: readonly Item[] = [
  {
    id: 1,
    slug: 'rye-bread',
    title: 'Rye bread',
    content: '<!-- wp:paragraph --><p>Bake for one hour.</p><!-- /wp:paragraph -->',
    terms: [
      ['category', 'bread'],
      ['language', 'en'],
      ['post_translations', 'pll_1'],
    ],
    meta: {
      _thumbnail_id: '3',
      subtitle: 'From Saxony',
      _subtitle: 'field_subtitle',
      weight: '1.5',
      _weight: 'field_weight',
      photo: '3',
      _photo: 'field_photo',
      related: writePhp(['4']),
      _related: 'field_related',
      _yoast_wpseo_title: 'Rye bread from Saxony',
      _yoast_wpseo_metadesc: 'A bread with a crust',
    },
  },
  {
    id: 2,
    slug: 'pain-de-seigle',
    title: 'Pain de seigle',
    terms: [
      ['category', 'bread'],
      ['language', 'fr'],
      ['post_translations', 'pll_1'],
    ],
  },
  {
    id: 3,
    type: 'attachment',
    slug: 'loaf',
    title: 'Loaf',
    file: '2024/05/loaf.jpg',
    meta: {
      _wp_attached_file: '2024/05/loaf.jpg',
      _wp_attachment_image_alt: 'A round loaf',
      _wp_attachment_metadata: writePhp({ width: 1200, height: 800, file: '2024/05/loaf.jpg', sizes: {} }),
    },
  },
  { id: 4, slug: 'butter', title: 'Butter', terms: [['language', 'en']] },
  { id: 5, type: 'page', slug: 'shop', title: 'Shop', terms: [['language', 'en']] },
  menuItem(20, 'Our shop', 1, { type: 'post_type', object: 'page', object_id: '5', menu_item_parent: '0' }),
  menuItem(21, 'Markets', 2, {
    type: 'custom',
    object: 'custom',
    url: 'http://markets.example/',
    menu_item_parent: '20',
  }),
  {
    id: 30,
    type: 'wpcf7_contact_form',
    slug: 'contact',
    title: 'Contact',
    meta: {
      _form: '[text* your-name] [email* your-email] [submit "Send"]',
      _mail: writePhp({ active: true, subject: 'Hello', recipient: 'ada@bakery.example', body: '[your-name]' }),
      _messages: writePhp({ validation_error: 'Please correct the fields.', invalid_email: 'Enter an email address.' }),
    },
  },
  {
    id: 50,
    type: 'acf-field-group',
    slug: 'group_recipe',
    title: 'Recipe',
    excerpt: 'recipe',
    content: writePhp({
      location: [[{ param: 'post_type', operator: '==', value: 'post' }]],
      show_in_rest: 1,
    }),
  },
  field(51, 'subtitle', 'text'),
  field(52, 'weight', 'number'),
  field(53, 'photo', 'image', { return_format: 'array' }),
  field(54, 'related', 'relationship', { return_format: 'object' }),
]

const language = (locale: string) => writePhp({ locale, rtl: 0, flag_code: locale.slice(-2).toLowerCase() })

/** The export of a bakery's site with the data of several plugins. */
export const PLUGIN_EXPORT = `<?xml version="1.0"?><rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:dc="d"
  xmlns:wp="w"><channel><title>Bakery</title><link>${HOME}</link><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_site_url>${HOME}</wp:base_site_url><wp:base_blog_url>${HOME}</wp:base_blog_url>
  <wp:author><wp:author_id>1</wp:author_id><wp:author_login>ada</wp:author_login></wp:author>
  <wp:category><wp:term_id>2</wp:term_id><wp:category_nicename>bread</wp:category_nicename>
  <wp:cat_name>Bread</wp:cat_name></wp:category>
  ${term(5, 'nav_menu', 'main', 'Main')}${term(6, 'language', 'en', 'English', language('en_US'))}
  ${term(7, 'language', 'fr', 'Français', language('fr_FR'))}
  ${term(8, 'post_translations', 'pll_1', 'pll_1', writePhp({ en: 1, fr: 2 }))}
  ${ITEMS.map(itemOf).join('\n')}</channel></rss>`
