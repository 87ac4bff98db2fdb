import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import type { Row } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { growsLinearly } from '../../../helpers/growth.ts'
import { as, serve, type Site, startOnly } from '../../../helpers/site.ts'
import { places, type Place } from '../../../helpers/stores.ts'

startOnly('terms')

const CATEGORIES = '/svc/v2/categories'
const TAGS = '/svc/v2/tags'
const GENRES = '/svc/v2/genre'

/** A custom taxonomy, a private one, meta, a field, and taps that record their calls. */
const extras = (calls: unknown[]) =>
  definePlugin({
    name: 'test-extras',
    needs: ['taxonomies', 'meta', 'extra-fields'],
    apply({ hooks, services: { taxonomies, meta, extraFields: fields } }) {
      taxonomies.register('genre', 'post', { hierarchical: true, show_in_rest: true })
      taxonomies.register('secret', 'post', { public: false, show_in_rest: true })
      meta.register('term', 'color', { subtype: 'category', type: 'string', single: true, show_in_rest: true })
      meta.register('term', 'rank', { type: 'integer', single: true, show_in_rest: true })
      meta.register('term', '_private', { type: 'string', single: true, show_in_rest: true })
      fields.register(['category', 'tag'], 'mood', {
        get_callback: async (data, _attribute, request) =>
          (await meta.single('term', data['id'] as number, 'mood', request.scope)) ?? '',
        update_callback: (value, term: Row<'terms'>, _attribute, request) => {
          if (value === 'bad') return new RestError('mood_refused', 'No.', { status: 400 })
          return meta.write('term', term.id, 'mood', [value], request.scope)
        },
        schema: { type: 'string', context: ['view', 'edit'] },
      })
      hooks.rest_pre_insert_post_tag.tap('test-extras', (prepared) => {
        if (prepared.name === 'forbidden') throw new RestError('tag_refused', 'No.', { status: 400 })
        return prepared.name === 'shout' ? { ...prepared, name: 'SHOUT', taxonomy: 'category' } : undefined
      })
      hooks.rest_insert_post_tag.tap('test-extras', (term: Row<'terms'>, _request, creating) => {
        calls.push(['insert', term.name, creating])
        if (term.name === 'late') throw new RestError('tag_late', 'No.', { status: 400 })
      })
      hooks.rest_after_insert_post_tag.tap('test-extras', (term: Row<'terms'>, _request, creating) => {
        calls.push(['after', term.name, creating])
      })
      hooks.rest_delete_post_tag.tap('test-extras', (term: Row<'terms'>, response) => {
        calls.push(['delete', term.name, (response.data as { deleted: unknown }).deleted])
      })
    },
  })

interface Context {
  site: Site
  place: Place
  hookCalls: unknown[]
}

interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
  body: any
}

async function send(site: Site, method: string, path: string, body?: unknown, role = 'administrator'): Promise<Answer> {
  const response = await site.request(path, {
    method,
    headers: { ...(role === 'visitor' ? {} : as(role)), 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const refusal = ({ status, body }: Answer) => [status, body.code]

for (const { name: database, make } of places) {
  const terms = suite<Context>(`writing terms, on ${database}`)

  terms.before.each(async (context) => {
    context.place = await make()
    context.hookCalls = []
    context.site = await serve({ database: context.place.url, add: [extras(context.hookCalls)] })
  })
  terms.after.each(async ({ site, place }) => {
    await site[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const rows = (site: Site) => site.store.all(site.store.db.selectFrom('terms').selectAll().orderBy('id'))
  /** Creates a term and returns its ID. */
  const addTerm = async (site: Site, path: string, term: object): Promise<number> => {
    const { status, body } = await send(site, 'POST', path, term)
    assert.is(status, 201, JSON.stringify(body))
    return body.id as number
  }

  terms('returns the URL of a new term', async ({ site }) => {
    const { status, headers, body } = await send(site, 'POST', CATEGORIES, { name: 'Fresh News' })
    assert.is(status, 201)
    assert.is(headers.get('location'), `${site.home}/svc-json${CATEGORIES}/${body.id}`)
    const { _links: links, ...data } = body
    assert.equal(data, {
      id: body.id,
      count: 0,
      description: '',
      link: `${site.home}/category/fresh-news/`,
      name: 'Fresh News',
      slug: 'fresh-news',
      taxonomy: 'category',
      parent: 0,
      meta: { color: '', rank: 0, _private: '' },
      mood: '',
    })
    assert.is(links.self[0].href, `${site.home}/svc-json${CATEGORIES}/${body.id}`)
  })

  terms('answers in the context edit, regardless of the requested context', async ({ site }) => {
    const { headers } = await send(site, 'POST', TAGS, { name: 'x' }, 'contributor')
    assert.is(headers.get('allow'), 'POST')
  })

  terms('S31: stores names as text, and descriptions without scripts', async ({ site }) => {
    const { body } = await send(site, 'POST', GENRES, {
      name: ' Tea &  <b onclick="a()">Rain</b> < 3 <script>a()</script>',
      description:
        'Some <b onclick="a()">words</b><script>x</script><p>y</p><a href="javascript:a()">z</a><!-- wp:x -->',
      slug: '<svg onload=a()>Te"a\r\nSet-Cookie: x',
    })
    assert.is(body.name, 'Tea &amp; Rain &lt; 3')
    assert.is(body.description, 'Some <b>words</b>xy<a>z</a>')
    assert.is(body.slug, 'tea-set-cookie-x')
    const again = await send(site, 'PUT', `${GENRES}/${body.id}`, { name: body.name, description: body.description })
    assert.equal([again.body.name, again.body.description], [body.name, body.description])
  })

  terms('refuses a missing, blank or overlong name, and values of another type', async ({ site }) => {
    const post = async (body: object) => refusal(await send(site, 'POST', CATEGORIES, body))
    assert.equal(await post({}), [400, 'rest_missing_callback_param'])
    assert.equal(await post({ name: '  ' }), [400, 'empty_term_name'])
    assert.equal(await post({ name: '<i></i>' }), [400, 'empty_term_name'])
    assert.equal(await post({ name: 'x'.repeat(201) }), [400, 'rest_invalid_param'])
    assert.equal(await post({ name: ['x'] }), [400, 'rest_invalid_param'])
    assert.equal(await post({ name: 'x', parent: 'y' }), [400, 'rest_invalid_param'])
    assert.equal(await post({ name: 'x', slug: {} }), [400, 'rest_invalid_param'])
    assert.equal(await rows(site), [])
  })

  terms('refuses an existing name with the ID of the existing term', async ({ site }) => {
    const id = await addTerm(site, TAGS, { name: 'Red & blue' })
    const { status, body } = await send(site, 'POST', TAGS, { name: 'red &amp; BLUE' })
    assert.equal(
      [status, body.code, body.data, body.additional_data],
      [400, 'term_exists', { status: 400, term_id: id }, [id, id]],
    )
    assert.is((await send(site, 'POST', CATEGORIES, { name: 'Red & blue' })).status, 201)
  })

  terms('allows equal names below different parents, or with different slugs', async ({ site }) => {
    const up = await addTerm(site, GENRES, { name: 'Up' })
    await addTerm(site, GENRES, { name: 'Same' })
    const below = await send(site, 'POST', GENRES, { name: 'Same', parent: up })
    assert.is(below.body.slug, 'same-up')
    assert.equal(refusal(await send(site, 'POST', GENRES, { name: 'same', parent: up })), [400, 'term_exists'])
    const own = await send(site, 'POST', GENRES, { name: 'Same', slug: 'own' })
    assert.is(own.body.slug, 'own')
    assert.equal(refusal(await send(site, 'POST', GENRES, { name: 'Same', slug: 'own' })), [400, 'term_exists'])
    const tag = await addTerm(site, TAGS, { name: 'T' })
    assert.is((await send(site, 'POST', TAGS, { name: 'T', slug: 'other' })).body.slug, 'other')
    assert.equal((await send(site, 'POST', TAGS, { name: 'T', slug: 't' })).body.data.term_id, tag)
  })

  terms('generates unique slugs that are valid in URLs', async ({ site }) => {
    const slug = async (path: string, term: object) => (await send(site, 'POST', path, term)).body.slug
    assert.is(await slug(TAGS, { name: 'Çrème brûlée!' }), 'creme-brulee')
    assert.is(await slug(TAGS, { name: 'Creme brulee' }), 'creme-brulee-2')
    for (let number = 3; number < 13; number += 1) {
      assert.is(await slug(TAGS, { name: `N${number}`, slug: 'Creme Brulee' }), `creme-brulee-${number}`)
    }
    assert.match(await slug(TAGS, { name: '日本' }), /^%e6%97%a5%e6%9c%ac$/)
    const { body } = await send(site, 'POST', TAGS, { name: '★★★' })
    assert.is(body.slug, String(body.id))
  })

  terms('refuses an unknown parent, and any parent in a flat taxonomy', async ({ site }) => {
    const tag = await addTerm(site, TAGS, { name: 'Tag' })
    const post = async (path: string, term: object) => refusal(await send(site, 'POST', path, term))
    assert.equal(await post(GENRES, { name: 'x', parent: 99_999 }), [400, 'rest_term_invalid'])
    assert.equal(await post(GENRES, { name: 'x', parent: -1 }), [400, 'rest_term_invalid'])
    assert.equal(await post(GENRES, { name: 'x', parent: tag }), [400, 'rest_term_invalid'])
    assert.equal(await post(TAGS, { name: 'x', parent: tag }), [400, 'rest_taxonomy_not_hierarchical'])
    assert.equal(await post(`${TAGS}/${tag}`, { parent: 0 }), [400, 'rest_taxonomy_not_hierarchical'])
    const genre = await addTerm(site, GENRES, { name: 'x', parent: 0 })
    assert.equal(await post(`${GENRES}/${genre}`, { parent: 99_999 }), [400, 'rest_term_invalid'])
    assert.is((await rows(site)).length, 2)
  })

  terms('moves a term to the top level instead of below itself', async ({ site }) => {
    const a = await addTerm(site, GENRES, { name: 'a' })
    const b = await addTerm(site, GENRES, { name: 'b', parent: a })
    const c = await addTerm(site, GENRES, { name: 'c', parent: b })
    const parentAfter = async (id: number, parent: number) =>
      (await send(site, 'PUT', `${GENRES}/${id}`, { parent })).body.parent
    assert.is(await parentAfter(c, c), 0)
    assert.is(await parentAfter(c, b), b)
    assert.is(await parentAfter(a, c), 0)
    assert.is(await parentAfter(c, a), a)
  })

  terms('changes only the fields in the request', async ({ site }) => {
    const id = await addTerm(site, CATEGORIES, {
      name: 'Old',
      description: 'Text',
      meta: { color: 'red' },
      mood: 'good',
    })
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const { status, body } = await send(site, method, `${CATEGORIES}/${id}`, { name: `New ${method}` })
      assert.equal([status, body.name, body.slug, body.description], [200, `New ${method}`, 'old', 'Text'])
      assert.equal([body.meta.color, body.mood], ['red', 'good'])
    }
    assert.is((await send(site, 'PUT', `${CATEGORIES}/${id}`, {})).body.name, 'New PATCH')
    assert.equal(refusal(await send(site, 'PUT', `${CATEGORIES}/${id}`, { name: '' })), [400, 'empty_term_name'])
    const emptied = await send(site, 'PUT', `${CATEGORIES}/${id}`, { description: '', slug: '' })
    assert.equal([emptied.body.description, emptied.body.slug], ['', 'new-patch'])
  })

  terms('accepts the current slug, and normalizes any spelling of it', async ({ site }) => {
    const { id, slug } = (await send(site, 'POST', TAGS, { name: '日本 2' })).body
    assert.is(slug, '%e6%97%a5%e6%9c%ac-2')
    for (const spelling of [slug, slug.toUpperCase(), '日本-2']) {
      assert.is((await send(site, 'PUT', `${TAGS}/${id}`, { slug: spelling })).body.slug, slug)
      const found = await site.get(`${TAGS}?slug=${encodeURIComponent(spelling)}&_fields=id`)
      assert.equal(await found.json(), [{ id }])
    }
    const { db } = site.store
    await site.store.run(db.updateTable('terms').set({ slug: '%e2%84%a2' }).where('id', '=', id))
    assert.is((await send(site, 'PUT', `${TAGS}/${id}`, { slug: '%e2%84%a2' })).body.slug, '%e2%84%a2', 'as it came')
  })

  terms('refuses the slug of another term, unless the term moves', async ({ site }) => {
    const up = await addTerm(site, GENRES, { name: 'Up' })
    await addTerm(site, GENRES, { name: 'One' })
    const two = await addTerm(site, GENRES, { name: 'Two' })
    const update = (body: object) => send(site, 'PUT', `${GENRES}/${two}`, body)
    assert.equal(refusal(await update({ slug: 'one' })), [400, 'duplicate_term_slug'])
    assert.is((await update({ slug: 'two' })).body.slug, 'two')
    assert.is((await update({ slug: 'one', parent: up })).body.slug, 'one-up')
  })

  terms('S1: changes and deletes the term in the path, regardless of other IDs', async ({ site }) => {
    const one = await addTerm(site, TAGS, { name: 'one' })
    const two = await addTerm(site, TAGS, { name: 'two' })
    for (const id of [two, `${two}x`, '2x', [two], null]) {
      await send(site, 'PUT', `${TAGS}/${one}?id=${two}`, { id, name: 'changed' })
      assert.equal(
        (await rows(site)).map(({ name }) => name),
        ['changed', 'two'],
      )
    }
    await send(site, 'DELETE', `${TAGS}/${one}?force=true&id=${two}`, { id: two })
    assert.equal(
      (await rows(site)).map(({ name }) => name),
      ['two'],
    )
    // Other IDs do not decide about permission either.
    const refused = await send(site, 'PUT', `${TAGS}/${two}`, { id: 99_999, name: 'x' }, 'subscriber')
    assert.equal(refusal(refused), [403, 'rest_cannot_update'])
  })

  terms('finds terms only in their own taxonomy', async ({ site }) => {
    const tag = await addTerm(site, TAGS, { name: 'tag' })
    for (const id of [tag, 99_999]) {
      assert.equal(refusal(await send(site, 'PUT', `${CATEGORIES}/${id}`, { name: 'x' })), [404, 'rest_term_invalid'])
      const deleted = await send(site, 'DELETE', `${CATEGORIES}/${id}?force=true`)
      assert.equal(refusal(deleted), [404, 'rest_term_invalid'])
    }
  })

  terms('deletes permanently, and only with force', async ({ site }) => {
    await addTerm(site, CATEGORIES, { name: 'Default' })
    const id = await addTerm(site, CATEGORIES, { name: 'Gone', meta: { color: 'red' } })
    assert.equal(refusal(await send(site, 'DELETE', `${CATEGORIES}/${id}`)), [501, 'rest_trash_not_supported'])
    const { status, body } = await send(site, 'DELETE', `${CATEGORIES}/${id}?force=1`)
    assert.equal([status, body.deleted, body.previous.name, body.previous.meta.color], [200, true, 'Gone', 'red'])
    assert.is((await site.get(`${CATEGORIES}/${id}`)).status, 404)
    assert.equal(await site.store.all(site.store.db.selectFrom('term_meta').selectAll()), [])
  })

  terms('moves the children of a deleted term up', async ({ site }) => {
    const a = await addTerm(site, GENRES, { name: 'a' })
    const b = await addTerm(site, GENRES, { name: 'b', parent: a })
    const c = await addTerm(site, GENRES, { name: 'c', parent: b })
    await send(site, 'DELETE', `${GENRES}/${b}?force=true`)
    assert.is((await site.json(`${GENRES}/${c}`)).parent, a)
  })

  terms(
    'preserves the default category, which replaces deleted categories on posts without another one',
    async ({ site }) => {
      const first = await addTerm(site, CATEGORIES, { name: 'First' })
      const deleted = await addTerm(site, CATEGORIES, { name: 'Gone' })
      const other = await addTerm(site, CATEGORIES, { name: 'Other' })
      const tag = await addTerm(site, TAGS, { name: 'Tag' })
      await site.kernel.services.options.set('default_category', first)
      const [alone, both, draft] = await addPosts(
        site.store,
        { terms: [deleted, tag] },
        { terms: [deleted, other] },
        { terms: [deleted], status: 'draft' },
      )
      await site.kernel.services.terms.recount([deleted, other, tag])
      const counts = async () => Object.fromEntries((await rows(site)).map(({ name, count }) => [name, count]))
      assert.equal(await counts(), { First: 0, Gone: 2, Other: 1, Tag: 1 })
      const response = await send(site, 'DELETE', `${CATEGORIES}/${first}?force=true`)
      assert.equal(refusal(response), [403, 'rest_cannot_delete'])
      assert.is((await send(site, 'DELETE', `${CATEGORIES}/${deleted}?force=true`)).status, 200)
      assert.equal(await counts(), { First: 1, Other: 1, Tag: 1 })
      const links = await site.store.all(site.store.db.selectFrom('term_relationships').selectAll())
      const categories = links
        .filter(({ term_id: id }) => id !== tag)
        .map(({ post_id: post, term_id: id }) => [post, id])
      assert.equal(
        categories.sort(([a], [b]) => a! - b!),
        [
          [alone, first],
          [both, other],
          [draft, first],
        ],
      )
      await site.kernel.services.terms.delete(first).then(
        () => assert.unreachable('the default is gone'),
        (error: RestError) => assert.is(error.code, 'rest_cannot_delete'),
      )
    },
  )

  terms('reassigns posts also if the default category does not exist', async ({ site }) => {
    const deleted = await addTerm(site, CATEGORIES, { name: 'Gone' })
    await addPosts(site.store, { terms: [deleted] })
    await site.kernel.services.options.set('default_category', 99_999)
    assert.is((await send(site, 'DELETE', `${CATEGORIES}/${deleted}?force=true`)).status, 200)
    assert.equal(await site.store.all(site.store.db.selectFrom('term_relationships').selectAll()), [])
  })

  terms('stores meta and registered fields with the term in one transaction', async ({ site, hookCalls }) => {
    const good = await send(site, 'POST', CATEGORIES, { name: 'Good', meta: { color: 'red', rank: '3' }, mood: 'fine' })
    assert.equal([good.body.meta.color, good.body.meta.rank, good.body.mood], ['red', 3, 'fine'])
    const before = await rows(site)
    const path = `${CATEGORIES}/${good.body.id}`
    const bad = async (method: string, at: string, body: object) => refusal(await send(site, method, at, body))
    assert.equal(await bad('POST', CATEGORIES, { name: 'Bad', meta: { rank: 'x' } }), [400, 'rest_invalid_type'])
    assert.equal(await bad('POST', CATEGORIES, { name: 'Bad', mood: 'bad', meta: { rank: 1 } }), [400, 'mood_refused'])
    assert.equal(await bad('PUT', path, { name: 'Bad', mood: 'bad', meta: { rank: 9 } }), [400, 'mood_refused'])
    assert.equal(await bad('POST', TAGS, { name: 'late' }), [400, 'tag_late'])
    assert.equal(hookCalls, [['insert', 'late', true]])
    assert.equal(await rows(site), before)
    assert.is((await site.json(path)).meta.rank, 3)
    assert.is((await send(site, 'PUT', path, { meta: { rank: null } })).body.meta.rank, 0)
  })

  terms('runs hooks that can change or refuse the term', async ({ site, hookCalls }) => {
    assert.equal(refusal(await send(site, 'POST', TAGS, { name: 'forbidden' })), [400, 'tag_refused'])
    const { body } = await send(site, 'POST', TAGS, { name: 'shout' })
    assert.equal([body.name, body.taxonomy], ['SHOUT', 'post_tag'])
    await send(site, 'PUT', `${TAGS}/${body.id}`, { name: 'calm' })
    await send(site, 'DELETE', `${TAGS}/${body.id}?force=true`)
    assert.equal(hookCalls, [
      ['insert', 'SHOUT', true],
      ['after', 'SHOUT', true],
      ['insert', 'calm', false],
      ['after', 'calm', false],
      ['delete', 'calm', true],
    ])
  })

  terms('S8: allows each role what its capabilities permit', async ({ site }) => {
    const makers: Record<string, string> = {
      [CATEGORIES]: 'administrator editor',
      [GENRES]: 'administrator editor',
      // Users who may write posts may create tags.
      [TAGS]: 'administrator editor author contributor',
    }
    const roles = ['administrator', 'editor', 'author', 'contributor', 'subscriber', 'visitor']
    for (const [path, able] of Object.entries(makers)) {
      for (const role of roles) {
        const refused = role === 'visitor' ? 401 : 403
        const created = await send(site, 'POST', path, { name: `By ${role}` }, role)
        assert.is(created.status, able.includes(role) ? 201 : refused, `POST ${path} ${role}`)
        if (created.status !== 201) assert.is(created.body.code, 'rest_cannot_create')
        const existing = await addTerm(site, path, { name: `There for ${role}` })
        const manages = role === 'administrator' || role === 'editor'
        for (const method of ['POST', 'PUT', 'PATCH']) {
          const { status, body } = await send(site, method, `${path}/${existing}`, { description: 'x' }, role)
          assert.equal([status, body.code], manages ? [200, undefined] : [refused, 'rest_cannot_update'])
        }
        const edit = await send(site, 'GET', `${path}/${existing}?context=edit`, undefined, role)
        assert.equal([edit.status, edit.body.code], manages ? [200, undefined] : [refused, 'rest_forbidden_context'])
        const deleted = await send(site, 'DELETE', `${path}/${existing}?force=true`, undefined, role)
        assert.equal([deleted.status, deleted.body.code], manages ? [200, undefined] : [refused, 'rest_cannot_delete'])
      }
    }
  })

  terms('S9: shows the context edit only to users who may edit the term', async ({ site }) => {
    const id = await addTerm(site, TAGS, { name: 'x' })
    for (const path of [TAGS, `${TAGS}/${id}`]) {
      for (const role of ['visitor', 'contributor']) {
        const { status, body } = await send(site, 'GET', `${path}?context=edit`, undefined, role)
        assert.equal([status, body.code], [role === 'visitor' ? 401 : 403, 'rest_forbidden_context'])
      }
    }
  })

  terms('writes meta only for users who may edit the term', async ({ site }) => {
    const created = await send(site, 'POST', TAGS, { name: 'x', meta: { rank: 1 } }, 'contributor')
    assert.equal(refusal(created), [403, 'rest_cannot_update'])
    assert.equal(await rows(site), [])
  })

  terms('S15: ignores read-only fields', async ({ site }) => {
    const term = {
      id: 77,
      term_id: 77,
      name: 'Real',
      count: 99,
      taxonomy: 'category',
      link: 'https://evil.test/',
      parent_id: 5,
      term_group: 3,
      _links: {},
      unknown: 1,
    }
    const { body } = await send(site, 'POST', TAGS, term)
    const [row] = await rows(site)
    assert.equal([row!.taxonomy, row!.count, row!.parent_id, row!.name], ['post_tag', 0, 0, 'Real'])
    assert.is.not(body.id, 77)
    await send(site, 'PUT', `${TAGS}/${body.id}`, { ...term, name: 'Other' })
    assert.equal({ ...row, name: 'Other' }, (await rows(site))[0])
    const hidden = await send(site, 'PUT', `${TAGS}/${body.id}`, { meta: { _private: 'x' } })
    assert.equal(refusal(hidden), [403, 'rest_cannot_update'])
    const unknown = await send(site, 'PUT', `${TAGS}/${body.id}`, { meta: { undeclared: 'x', mood: 'y' } })
    assert.is(unknown.status, 200)
    assert.equal(await site.store.all(site.store.db.selectFrom('term_meta').selectAll()), [])
  })

  terms('S24: treats names of built-in properties as ordinary fields', async ({ site }) => {
    const { status } = await send(
      site,
      'POST',
      TAGS,
      '{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"meta":{"__proto__":{"polluted":1},"toString":"y"}}',
    )
    assert.ok(status === 201 || status === 400)
    assert.is(({} as { polluted?: number }).polluted, undefined)
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const created = await send(site, 'POST', CATEGORIES, { name })
      assert.equal([created.status, created.body.name], [201, name])
    }
  })

  terms('S29: generates slugs in linear time', async ({ site }) => {
    for (const unit of ['<', '&', '&a', '-', ' ', 'á', 'a\u0301', '%', '日']) {
      let attempts = 0
      await growsLinearly(unit, async (size) => {
        const name = `n ${unit} ${(attempts += 1)}`
        const { status } = await send(site, 'POST', TAGS, { name, slug: unit.repeat(size / unit.length) })
        assert.is(status, 201)
      })
    }
  })

  terms('S38: lets one of many concurrent requests create the same term', async ({ site }) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(site, 'POST', TAGS, { name: 'Race' })))
    const created = answers.filter(({ status }) => status === 201)
    assert.is(created.length, 1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.equal(refusal(answer), [400, 'term_exists'])
      assert.is(answer.body.data.term_id, created[0]!.body.id)
    }
    assert.is((await rows(site)).length, 1)
  })

  terms('S38: never gives a slug twice', async ({ site }) => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => send(site, 'POST', TAGS, { name: `Name ${index}`, slug: 'race' })),
    )
    assert.equal(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.is(new Set((await rows(site)).map(({ slug }) => slug)).size, 50)
    const ids = answers.map(({ body }) => body.id as number)
    const renamed = await Promise.all(ids.map((id) => send(site, 'PUT', `${TAGS}/${id}`, { slug: 'same' })))
    assert.is(renamed.filter(({ status }) => status === 200).length, 1)
    for (const answer of renamed.filter(({ status }) => status !== 200))
      assert.equal(refusal(answer), [400, 'duplicate_term_slug'])
  })

  terms('S38: leaves no cycles, orphans or wrong counts after concurrent moves and deletions', async ({ site }) => {
    const ids: number[] = []
    for (let number = 0; number < 8; number += 1) ids.push(await addTerm(site, CATEGORIES, { name: `C${number}` }))
    await site.kernel.services.options.set('default_category', ids[0])
    await addPosts(site.store, ...ids.flatMap((id) => [{ terms: [id] }, { terms: [id, ids[0]!].slice(0, 1) }]))
    const path = (id: number) => `${CATEGORIES}/${id}`
    const answers = await Promise.all([
      ...ids.map((id, index) => send(site, 'PUT', path(id), { parent: ids[(index + 1) % ids.length] })),
      ...ids.slice(4).map((id) => send(site, 'DELETE', `${path(id)}?force=true`)),
      ...ids.map((id) => send(site, 'POST', CATEGORIES, { name: `Below ${id}`, parent: id })),
    ])
    assert.equal(
      answers.filter(({ status }) => status >= 500),
      [],
    )
    const remaining = await rows(site)
    const parents = new Map(remaining.map(({ id, parent_id: parent }) => [id, parent]))
    for (const { id } of remaining) {
      let at = id
      for (let steps = 0; at !== 0; steps += 1) {
        assert.ok(steps < 50, 'a circle')
        assert.ok(parents.has(at), 'an orphan')
        at = parents.get(at)!
      }
    }
    const first = remaining.find(({ id }) => id === ids[0])!
    await site.kernel.services.terms.recount([first.id])
    // Two posts of its own, and two of each deleted category.
    assert.equal([first.count, (await rows(site)).find(({ id }) => id === first.id)!.count], [10, 10])
  })

  terms('works in batches', async ({ site }) => {
    const { status, body } = await send(site, 'POST', '/batch/v1', {
      requests: [
        { path: TAGS, body: { name: 'one' } },
        { path: TAGS, body: { name: 'one' } },
        { path: GENRES, body: { name: 'two' } },
      ],
    })
    assert.is(status, 207)
    assert.equal(
      body.responses.map((one: { status: number }) => one.status),
      [201, 400, 201],
    )
  })

  terms.run()
}
