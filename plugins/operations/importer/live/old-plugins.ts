import { branding } from '../../../library/branding/index.ts'

/** Names of plugins by the first part of the namespace of their routes. */
const PLUGINS: Readonly<Record<string, string>> = {
  acf: 'Advanced Custom Fields',
  aioseo: 'All in One SEO',
  akismet: 'Akismet',
  buddypress: 'BuddyPress',
  'code-snippets': 'Code Snippets',
  'contact-form-7': 'Contact Form 7',
  elementor: 'Elementor',
  gf: 'Gravity Forms',
  jetpack: 'Jetpack',
  'jwt-auth': 'JWT Authentication',
  learndash: 'LearnDash',
  ldlms: 'LearnDash',
  litespeed: 'LiteSpeed Cache',
  mailpoet: 'MailPoet',
  menus: 'Menus in the REST API',
  'ninja-forms': 'Ninja Forms',
  pll: 'Polylang',
  rankmath: 'Rank Math',
  redirection: 'Redirection',
  regenerate: 'Regenerate Thumbnails',
  seopress: 'SEOPress',
  'simple-jwt-login': 'Simple JWT Login',
  tribe: 'The Events Calendar',
  wc: 'WooCommerce',
  wordfence: 'Wordfence',
  wpml: 'WPML',
  yoast: 'Yoast SEO',
}

/** Recognizes plugins of the old site by the namespaces of their routes. Other namespaces stand for themselves. */
export function pluginsOf(namespaces: readonly string[], word: string): { name: string; namespace: string }[] {
  const own = new RegExp(`^${word}(?:-[a-z-]+)?/v\\d+$`)
  const core = ['oembed/1.0', 'batch/v1', branding(word).namespace('v2')]
  const found = namespaces.filter((namespace) => !core.includes(namespace) && !own.test(namespace))
  const seen = new Set<string>()
  return found.flatMap((namespace) => {
    const [first = ''] = namespace.split('/')
    const name = PLUGINS[first] ?? PLUGINS[first.replace(/-.*$/, '')] ?? first
    if (seen.has(name)) return []
    seen.add(name)
    return [{ name, namespace }]
  })
}
