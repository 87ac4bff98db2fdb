// The site of the screenshots: the same content, dates and IDs in each run.
import { mock } from 'node:test'
import sharp from 'sharp'
import { addGroups } from '../plugins/compat/custom-fields/definitions.ts'
import { as, serve, serveOn, type Site } from '../helpers/site.ts'
import { filePlace } from '../helpers/stores.ts'
import { CONTENT, LETTER } from './sample-content.ts'

/** The time at which the clocks of the server and of the browser stand still. */
export const NOW = new Date('2026-03-14T09:26:00Z')
/** Home URL of the site. The browser resolves its host to the server. */
export const HOME = 'http://sea.localhost'
export const ADMIN = { login: 'marina', password: 'a pass phrase of the harbor' }

/** The site with the IDs of its objects by the names that paths mention in capital letters. */
export interface SampleSite extends AsyncDisposable {
  readonly site: Site
  readonly ids: Readonly<Record<string, number>>
}

const OPTIONS = {
  home: HOME,
  plugins: { redirects: {}, forms: {}, languages: {}, 'custom-types': {}, 'custom-fields': {}, seo: {} },
}

/** Starts the site and fills it over the REST API. */
export async function serveSample(): Promise<SampleSite> {
  mock.timers.enable({ apis: ['Date'], now: NOW })
  const place = await filePlace()
  {
    // A site registers types and fields when it starts.
    await using site = await serve({ ...OPTIONS, database: place.url })
    await site.kernel.services.options.set('cptui_post_types', { boat: BOAT })
    await site.kernel.services.options.set('site_setup', { status: 'started', steps: ['site'] })
    await addGroups(site.store, {
      key: 'group_boats',
      fields: [
        { key: 'field_mast', name: 'mast', type: 'number', label: 'Height of the mast', instructions: 'In metres.' },
        { key: 'field_rig', name: 'rig', type: 'select', label: 'Rig', choices: { sloop: 'Sloop', ketch: 'Ketch' } },
      ],
    })
  }
  const site = await serveOn(place, OPTIONS)
  const { users } = site.kernel.services
  const secured = await users.secured({ password: ADMIN.password })
  const { id: admin } = await users.create({
    ...secured,
    login: ADMIN.login,
    email: 'marina@mail.example',
    name: 'Marina Vega',
    slug: 'marina',
    roles: ['administrator'],
    first_name: 'Marina',
    last_name: 'Vega',
    url: 'https://marina.example',
  })
  const headers = { ...as('administrator', admin), 'content-type': 'application/json' }
  const create = async (path: string, body: unknown): Promise<number> => {
    const url = path.startsWith('/') ? path : `/svc/v2/${path}`
    const response = await site.request(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { id: number }).id
  }
  const upload = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer> | string, fields: object) => {
    const response = await site.request('/svc/v2/media', {
      method: 'POST',
      headers: { ...headers, 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
      body: bytes,
    })
    const { id, source_url } = (await response.json()) as { id: number; source_url: string }
    await create(`media/${id}`, fields)
    return { id, url: source_url }
  }
  await create('settings', { title: 'Sea letters', description: 'Notes from the harbor' })
  const user = (login: string, name: string, role: string) =>
    create('users', {
      username: login,
      name,
      email: `${login}@mail.example`,
      roles: [role],
      password: `pass phrase of ${login}`,
      description: `${name} writes about the sea.`,
    })
  const [ed, ann] = [await user('edgar', 'Edgar Holm', 'editor'), await user('ann', 'Ann Reyes', 'author')]
  await user('sol', 'Sol Okafor', 'subscriber')
  const [tides, boats] = [
    await create('categories', { name: 'Tides', description: 'High water, low water and the hours between.' }),
    await create('categories', { name: 'Boats' }),
  ]
  await create('categories', { name: 'Fishing boats', parent: boats })
  const [storm, harbor] = [await create('tags', { name: 'Storm' }), await create('tags', { name: 'Harbor' })]
  const image = await upload('harbor.png', 'image/png', await picture('#2a6f97', '#f4d58d'), {
    title: 'The harbor at noon',
    alt_text: 'Two boats in a harbor',
    caption: 'The harbor at noon',
  })
  await upload('storm.png', 'image/png', await picture('#3d405b', '#e07a5f'), { title: 'Storm' })
  await upload('tide-table.txt', 'text/plain', 'High water at 6:12 and 18:40.', { title: 'Tide table' })
  const post = (title: string, day: number, fields: object) =>
    create('posts', {
      title,
      status: 'publish',
      date: `2026-03-${String(day).padStart(2, '0')}T08:00:00`,
      content: LETTER,
      author: ann,
      categories: [tides],
      ...fields,
    })
  const letter = await post('Letters of the spring tide', 12, {
    content: CONTENT(image),
    excerpt: 'The water came up to the third step, and it brought letters.',
    tags: [storm, harbor],
    featured_media: image.id,
    author: admin,
    sticky: true,
  })
  for (const [at, title] of OLDER_POSTS.entries())
    await post(title, 11 - at, {
      categories: [at % 2 === 0 ? boats : tides],
      ...(at % 3 === 0 && { featured_media: image.id }),
    })
  await post('A draft about ropes', 13, { status: 'draft', author: admin })
  await post('Waiting for the editor', 13, { status: 'pending' })
  await post('The tide of next week', 21, { status: 'future', author: admin })
  await post('For the crew only', 2, { password: 'mast' })
  await post('Thoughts of the keeper', 1, { status: 'private', author: admin })
  const page = await create('pages', { title: 'About the harbor', status: 'publish', content: LETTER })
  await create('pages', { title: 'Directions', status: 'publish', content: LETTER, parent: page })
  const comment = (fields: object) => create('comments', { post: letter, status: 'approved', ...fields })
  const first = await comment({
    author_name: 'Otto',
    author_email: 'otto@mail.example',
    author_url: 'https://otto.example',
    content: 'We found one of the letters below the pier.',
  })
  await comment({ author: ann, parent: first, content: 'Bring it to the harbor office, please.' })
  const held = await comment({
    author_name: 'Nila',
    author_email: 'nila@mail.example',
    content: 'Is the next spring tide as high as this one?',
    status: 'hold',
  })
  await comment({ author_name: 'Pill seller', author_email: 'x@mail.example', content: 'Cheap pills!', status: 'spam' })
  // A revision with a difference.
  await create(`posts/${letter}`, { excerpt: 'The water came up to the third step.' })
  await create(`posts/${letter}`, { content: CONTENT(image).replace('third step', 'fourth step') })
  const menu = await create('menus', { name: 'Main', locations: [] })
  const item = (title: string, fields: object) =>
    create('menu-items', { menus: menu, title, status: 'publish', ...fields })
  await item('Home', { type: 'custom', url: HOME, menu_order: 1 })
  const about = await item('About', { type: 'post_type', object: 'page', object_id: page, menu_order: 2 })
  await item('Tides', { type: 'taxonomy', object: 'category', object_id: tides, menu_order: 3, parent: about })
  await create('/redirection/v1/redirect', {
    url: '/old-harbor/',
    match_type: 'url',
    match_data: { source: {} },
    action_type: 'url',
    action_data: { url: '/about-the-harbor/' },
    group_id: 1,
  })
  await (await fetch(`${site.listening}/lost-letter/`)).arrayBuffer()
  const form = await create('/contact-form-7/v1/contact-forms', {
    title: 'Contact',
    form: '[text* name] [textarea message] [submit "Send"]',
    mail: { subject: 'Letter', sender: 'a@mail.example', recipient: 'b@mail.example', body: '[message]' },
    context: 'save',
  })
  const message = new FormData()
  for (const [name, value] of Object.entries({ _wpcf7_unit_tag: 'tag', name: 'Otto', message: 'Which pier is yours?' }))
    message.append(name, value)
  await site.request(`/contact-form-7/v1/contact-forms/${form}/feedback`, { method: 'POST', body: message })
  // The first page that reads the styles of the theme stores them, which the list of changes shows.
  await site.kernel.services.globalStyles.idOf('default')
  return {
    site,
    ids: {
      POST: letter,
      PAGE: page,
      TERM: tides,
      TAG: storm,
      COMMENT: held,
      FILE: image.id,
      MENU: menu,
      USER: ed,
      MESSAGE: 1,
      REDIRECT: 1,
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      mock.timers.reset()
    },
  }
}

const BOAT = {
  name: 'boat',
  label: 'Boats',
  singular_label: 'Boat',
  public: 'true',
  show_ui: 'true',
  show_in_rest: 'true',
  supports: ['title', 'editor'],
  taxonomies: ['post_tag'],
}

const OLDER_POSTS = [
  'A new mast for the Petrel',
  'How to read a tide table',
  'The lighthouse has its lamp again, and a keeper who does not sleep at night',
  'Nets',
  'Seven knots every child should know',
  'Low water in February',
  'Who painted the blue boat?',
]

/** Returns an image of two colors as PNG. */
async function picture(sky: string, sand: string): Promise<Uint8Array<ArrayBuffer>> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675"><rect width="1200" height="675" fill="${sky}"/>
    <rect y="450" width="1200" height="225" fill="${sand}"/><path d="M300 430h300l-60 80h-180z" fill="#fff"/></svg>`
  return new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer())
}
