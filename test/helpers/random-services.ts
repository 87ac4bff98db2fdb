import { RequestCache, VISITOR, type PluginContext } from '../../kernel/index.ts'
import type { RandomObjects } from './random-tools.ts'

type Services = PluginContext['services']

const page = { limit: 3, offset: 0 } as const
const ofPosts = { types: ['post'], statuses: ['publish'], readScope: null, ...page } as const

/**
 * Values that plugins read through services for their own fields, without a controller that declares dependencies. Each value
 * is read from the first objects.
 */
export const SERVICE_FIELDS: Readonly<
  Record<string, (services: Services, objects: RandomObjects, scope: RequestCache) => unknown>
> = {
  by_post: async ({ posts }, { posts: [id = 0] }, scope) => (await posts.get(id, scope))?.title,
  by_post_above: async ({ posts }, { media: [id = 0] }, scope) => {
    const post = await posts.getAttached(id, scope)
    return post && [post.title, await posts.isReadable(post, VISITOR, scope)]
  },
  by_posts: async ({ posts }, _, scope) =>
    (await posts.query(ofPosts, scope)).items.map(({ id, title }) => [id, title]),
  by_posts_of_term: async ({ posts }, { categories: [term = 0] }, scope) => {
    const terms = [{ taxonomy: 'category', terms: [term], operator: 'in', includeChildren: true }] as const
    return (await posts.query({ ...ofPosts, terms }, scope)).total
  },
  by_posts_without_term: async ({ posts }, { tags: [term = 0] }, scope) => {
    const terms = [{ taxonomy: 'post_tag', terms: [term], operator: 'not in' }] as const
    return (await posts.query({ ...ofPosts, terms }, scope)).total
  },
  by_posts_of_either: async ({ posts }, { categories, tags }, scope) => {
    const terms = [
      { taxonomy: 'category', terms: categories.slice(0, 1), operator: 'in' },
      { taxonomy: 'post_tag', terms: tags.slice(1, 2), operator: 'in' },
    ] as const
    return (await posts.query({ ...ofPosts, terms, termRelation: 'or' }, scope)).total
  },
  by_pages_below: async ({ posts }, { pages: [id = 0] }, scope) =>
    (await posts.query({ ...ofPosts, types: ['page'], parent: [id] }, scope)).items.map(({ title }) => title),
  by_drafts: async ({ posts }, _, scope) => {
    const statuses = ['draft', 'private', 'pending', 'future']
    return (await posts.query({ ...ofPosts, statuses }, scope)).total
  },
  by_versions: async ({ posts }, { posts: [id = 0] }, scope) => posts.versions(id, scope),
  by_term: async ({ terms }, { categories: [id = 0] }, scope) => (await terms.get(id, scope))?.name,
  by_terms_of_post: async ({ terms }, { posts: [id = 0] }, scope) =>
    [...(await terms.ofPosts(scope).load(id)).values()].flat().map(({ name }) => name),
  by_terms: async ({ terms }, { posts: [post = 0] }, scope) =>
    (await terms.query({ taxonomy: 'category', post, hideEmpty: true }, scope)).items.map(({ name }) => name),
  by_comment: async ({ comments }, { comments: [id = 0] }, scope) => comments.get(id, scope),
  by_comments: async ({ comments }, _, scope) => (await comments.query({ visibility: null, limit: 2 }, scope)).items,
  by_comments_named: async ({ comments }, { comments: include }, scope) => {
    const query = { visibility: null, include: include.slice(0, 2), orderby: 'include', limit: 2 } as const
    return (await comments.query(query, scope)).items
  },
  by_comments_of_post: async ({ comments }, { posts: [id = 0] }, scope) =>
    (await comments.query({ visibility: null, posts: [id], limit: 2 }, scope)).items,
  by_replies: async ({ comments }, { comments: [id = 0] }, scope) =>
    (await comments.query({ visibility: null, parents: [id], limit: 2 }, scope)).items,
  by_held_comments: async ({ comments }, _, scope) =>
    (await comments.query({ visibility: null, approved: ['0'], limit: 1 }, scope)).total,
  by_user: async ({ users }, _, scope) => users.get(1, scope),
  by_author: async ({ users }, _, scope) => (await users.get(3, scope))?.name,
  by_author_acting: async ({ users }) => (await users.current(3))?.roles,
  by_users: async ({ users }) => (await users.query({ orderBy: 'name', order: 'asc', ...page })).items,
  by_meta: async ({ meta }, { categories: [id = 0] }, scope) => meta.single('term', id, 'mark', scope),
  by_link_of_page: async ({ permalinks, posts }, { pages }, scope) => {
    const post = await posts.get(pages[2] ?? 0, scope)
    return post && permalinks.post(post, new RequestCache())
  },
  by_link_of_term: async ({ permalinks, terms }, { categories }, scope) => {
    const term = await terms.get(categories[2] ?? 0, scope)
    return term && permalinks.term(term, new RequestCache())
  },
  by_option: async ({ options }) => options.get('date_format'),
  by_options_now: async ({ options }) => options.fresh(['title']),
}
