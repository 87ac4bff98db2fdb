import { sql } from 'kysely'
import type { Kernel } from '../../bin/config/index.ts'
import { createImporter, one as source } from '../plugins/operations/importer/importing.ts'
import { stock } from './random-plugins.ts'
import type { RandomTools, Writes } from './random-tools.ts'

const ROLES = ['author', 'editor', 'contributor', 'subscriber'] as const
/** Permalink structures. The first one contains all tags. */
const STRUCTURES = [
  '/%category%/%author%/%year%/%postname%/',
  '/%year%/%postname%/',
  '/%author%/%post_id%/',
  '',
] as const

export function writesOfUsers(tools: RandomTools): Writes {
  const { site } = tools
  const { users } = site.kernel.services
  const { ann, admin, shy } = site.users
  const some = () => tools.one([ann, ann, ...Object.values(site.users)])!
  const change = (body: object) => tools.send('POST', `/users/${some()}`, body)
  return {
    'rename a user': () => change({ name: tools.text() }),
    'describe a user': () => change({ description: tools.text(), url: `https://me-${tools.next()}.example/` }),
    'change the slug of a user': () => change({ slug: `u-${tools.next()}` }),
    'change the e-mail of a user': () => change({ email: `u${tools.next()}@mail.example` }),
    'give meta to a user': () => change({ meta: { mark: tools.text() } }),
    'change the role of a user': async () => {
      const user = some()
      if (user !== admin) await users.update(user, { roles: [tools.one(ROLES)!] })
    },
    'change a password': async () => {
      const secured = await users.secured({ password: `other phrase ${tools.next()}` })
      await users.update(shy, secured)
    },
    'a guest comes and writes': async () => {
      const login = `guest${tools.next()}`
      const { id } = await users.create({ login, email: `${login}@mail.example`, name: login, roles: ['author'] })
      tools.guests.push(id)
      const post = { author: id, status: 'publish', title: tools.text(), categories: [tools.pick('categories')] }
      await tools.create('posts', post)
      await tools.comment(0, id)
      await tools.change('posts', { author: id })
    },
    'a guest leaves': async () => {
      const guest = tools.guests.pop()
      if (guest === undefined) return
      const reassign = tools.isOn() ? ann : 'false'
      await tools.send('DELETE', `/users/${guest}?force=true&reassign=${reassign}`)
    },
  }
}

export function writesOfOptions(tools: RandomTools): Writes {
  const { options } = tools.site.kernel.services
  const set = (name: string, value: unknown) => () => options.set(name, typeof value === 'function' ? value() : value)
  const change = (body: object) => tools.send('POST', '/settings', body)
  return {
    'change the title': () => change({ title: tools.text(), description: tools.text() }),
    'change the formats of dates': () => change({ date_format: tools.text(), time_format: tools.text() }),
    'change the default category': () => change({ default_category: tools.pick('categories') }),
    'change the page size': () => change({ posts_per_page: tools.next() }),
    'turn smilies': () => change({ use_smilies: tools.isOn() }),
    'change what comments new posts get': () => change({ default_comment_status: tools.one(['open', 'closed']) }),
    'choose an icon': () => change({ site_icon: tools.pick('media'), site_logo: tools.pick('media') }),
    'change the time zone': set('timezone', () => tools.one(['UTC', 'Europe/Berlin', 'Asia/Tokyo'])),
    'change permalinks': set('permalink', () => tools.one(STRUCTURES)),
    'have full permalinks': set('permalink', STRUCTURES[0]),
    'change the bases of terms': set('category_base', () => `base-${tools.next()}`),
    'change the base of tags': set('tag_base', () => `tags-${tools.next()}`),
    'choose a front page': set('page_on_front', () => tools.pick('pages')),
    'choose a page of posts': set('page_for_posts', () => tools.pick('pages')),
    'show a page in front': set('show_on_front', 'page'),
    'show posts in front': set('show_on_front', 'posts'),
    'unstick posts': set('sticky_posts', () => (tools.isOn() ? [] : [tools.pick('posts')])),
    'close old comments': set('close_comments_for_old_posts', () => tools.isOn(0.3)),
    'have commenters registered': set('comment_registration', () => tools.isOn()),
    'change the theme': set('theme', () => ({ name: tools.text(), version: `1.${tools.next()}` })),
    'forget the icon': () => options.delete('site_icon'),
  }
}

/** Resets settings that prevent content from being shown or written. */
export async function restoreSettings({ site }: RandomTools): Promise<void> {
  const { options, users } = site.kernel.services
  const restore = async (name: string, value: unknown) => {
    if ((await options.get(name)) !== value) await options.set(name, value)
  }
  await restore('permalink', STRUCTURES[0])
  await restore('show_on_front', 'posts')
  await restore('comment_registration', false)
  await restore('comment_flood_seconds', 0)
  await restore('close_comments_for_old_posts', false)
  const ann = await users.current(site.users.ann)
  if (ann?.roles?.includes('author') !== true) await users.update(site.users.ann, { roles: ['author'] })
}

/** Writes of other programs: imports. */
export function writesOfPrograms(tools: RandomTools): Writes {
  const { site } = tools
  return {
    import: () => createImporter(site)(site.store, { source: source(exported(tools)), home: site.home }),
  }
}

/** Writes of plugins. State in memory changes in all processes, so `kernels` must contain all of them. */
export function writesOfProcesses(tools: RandomTools, kernels: readonly Kernel[]): Writes {
  const each = async (work: (kernel: Kernel) => void) => kernels.forEach(work)
  return {
    'sell a thing': () => {
      const post = tools.pick('posts')
      stock.set(post, tools.next())
      return tools.site.kernel.services.changes.touch([`stock:${post}`])
    },
    'fill a shelf': () => {
      const [post, items] = [tools.pick('pages'), tools.next()]
      return tools.site.store.run(sql`insert into shelf (post, items) values (${post}, ${items})
        on conflict (post) do update set items = excluded.items`)
    },
    'allow a role more': () => {
      const isOn = tools.isOn()
      return each(({ services }) => services.roles.grant('contributor', 'edit_others_posts', isOn))
    },
    'define a role anew': () => {
      const label = tools.text()
      return each(({ services }) => services.roles.register('subscriber', label, ['read', 'level_0']))
    },
  }
}

/** Returns an export of another site: a post with a category and an author. */
function exported(tools: RandomTools): string {
  const number = tools.next()
  const cdata = (text: string) => `<![CDATA[${text}]]>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Other</title><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_site_url>https://old.example</wp:base_site_url><wp:base_blog_url>https://old.example</wp:base_blog_url>
<wp:author><wp:author_id>2</wp:author_id><wp:author_login>${cdata('comer')}</wp:author_login><wp:author_email>${cdata('comer@old.example')}</wp:author_email></wp:author>
<wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>${cdata('cat-0')}</wp:category_nicename><wp:cat_name>${cdata('cat 0')}</wp:cat_name></wp:category>
<item><title>${cdata(tools.text())}</title><dc:creator>${cdata('comer')}</dc:creator>
<content:encoded>${cdata(tools.text())}</content:encoded><wp:post_id>${number + 1000}</wp:post_id>
<wp:post_date>${cdata('2024-01-01 10:00:00')}</wp:post_date><wp:post_date_gmt>${cdata('2024-01-01 10:00:00')}</wp:post_date_gmt>
<wp:post_name>${cdata(`come-${number}`)}</wp:post_name><wp:status>${cdata('publish')}</wp:status><wp:post_type>${cdata('post')}</wp:post_type>
<category domain="category" nicename="cat-0">${cdata('cat 0')}</category></item>
</channel></rss>`
}
