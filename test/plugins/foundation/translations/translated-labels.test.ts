import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const labels = suite('labels of the block editor and site health')

interface Named {
  readonly name?: string
  readonly slug?: string
  readonly area?: string
  readonly label?: string
  readonly title?: string
  readonly description?: string
}

/** Reads the labels as an administrator, with one example from each list. */
async function examplesOf(site: SiteWithUsers): Promise<string[]> {
  const read = async <T>(path: string) => {
    const response = await site.send('GET', path, undefined, 'admin')
    assert.is(response.status, 200, path)
    return (await response.json()) as T
  }
  const categories = await read<Named[]>('/svc/v2/block-patterns/categories')
  const banner = categories.find(({ name }) => name === 'banner')
  const [theme] =
    await read<Record<'default_template_types' | 'default_template_part_areas', Named[]>[]>(
      '/svc/v2/themes?status=active',
    )
  const single = theme!.default_template_types.find(({ slug }) => slug === 'single')
  const footer = theme!.default_template_part_areas.find(({ area }) => area === 'footer')
  const template = await read<{ title: { rendered: string } }>('/svc/v2/templates/default//search')
  const quote = await read<{ styles: Named[] }>('/svc/v2/block-types/core/quote')
  const views = await read<{ view_list: Named[] }>('/svc/v2/view-config?kind=postType&name=page')
  const health = await read<{ label: string; badge: { label: string } }>('/svc-site-health/v1/tests/page-cache')
  return [
    banner?.label,
    banner?.description,
    single?.title,
    footer?.label,
    template.title.rendered,
    quote.styles.find(({ name }) => name === 'plain')?.label,
    views.view_list[0]?.title,
    health.label,
    health.badge.label,
  ].map(String)
}

const ENGLISH = [
  'Banners',
  'Large sections that introduce a page.',
  'Single Posts',
  'Footer',
  'Search Results',
  'Plain',
  'All pages',
  'Responses are cached',
  'Performance',
]
const GERMAN = [
  'Banner',
  'Große Abschnitte, die eine Seite einleiten.',
  'Einzelne Beiträge',
  'Footer',
  'Suchergebnisse',
  'Schlicht',
  'Alle Seiten',
  'Antworten werden zwischengespeichert',
  'Leistung',
]

labels('are in the language of the site, and follow its change', async () => {
  await using site = await serveWithUsers(filePlace)
  assert.equal(await examplesOf(site), ENGLISH)
  const setLanguage = async (language: string) =>
    assert.is((await site.send('POST', '/svc/v2/settings', { language }, 'admin')).status, 200)
  await setLanguage('de_DE')
  assert.equal(await examplesOf(site), GERMAN)
  await setLanguage('en_US')
  assert.equal(await examplesOf(site), ENGLISH)
})

labels('of site health are in the language of the user, if the request asks for it', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { translations: { languages: ['fr'] } } })
  assert.is((await site.send('POST', '/svc/v2/users/me', { locale: 'fr_FR' }, 'admin')).status, 200)
  const labelOf = async (query: string) => {
    const response = await site.send('GET', `/svc-site-health/v1/tests/https-status${query}`, undefined, 'admin')
    return ((await response.json()) as { label: string }).label
  }
  assert.is(await labelOf('?_locale=user'), 'Le site n’est pas servi en HTTPS')
  assert.is(await labelOf(''), 'The site is not served over HTTPS')
})

labels.run()
