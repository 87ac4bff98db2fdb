import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { databases, serveWithUsers, withUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { serve, startOnly } from '../../../helpers/site.ts'
import { shared } from '../../../helpers/stores.ts'
import { addPost, addRevision, linkTo, shownBy, V2, withFrontEnds, type Body } from './links.ts'

startOnly('previews')

const INVALID = [403, 'rest_preview_invalid']

/** Status and error code of the response to a token. */
async function outcome(site: SiteWithUsers, path: string, token: string): Promise<[status: number, code: string]> {
  const { status, body } = await shownBy(site, path, token)
  return [status, body.code]
}

for (const { name, place } of databases) {
  const tokens = suite(`preview tokens on ${name}`)

  tokens('S8: are valid for one post, and expire when it is deleted', async () => {
    await using site = await serveWithUsers(place)
    const [one, two] = [await addPost(site, { status: 'draft' }), await addPost(site, { status: 'draft' })]
    const page = await addPost(site, { status: 'draft', type: 'page' })
    const { token } = await linkTo(site, `posts/${one}`)
    const ofPage = await linkTo(site, `pages/${page}`)
    assert.is((await outcome(site, `posts/${one}`, token))[0], 200)
    for (const path of [`posts/${two}`, `pages/${one}`, `pages/${page}`, 'posts/99999', `posts/${one}0`])
      assert.equal(await outcome(site, path, token), INVALID, path)
    assert.equal(await outcome(site, `posts/${page}`, ofPage.token), INVALID)
    // The same error whether the post exists or not.
    const [existing, missing] = [await shownBy(site, `posts/${two}`, token), await shownBy(site, 'posts/99999', token)]
    assert.equal(existing.body, missing.body)
    assert.is((await site.send('DELETE', `${V2}/posts/${one}`, {}, 'ed')).status, 200)
    assert.equal(await outcome(site, `posts/${one}`, token), INVALID, 'in the trash')
    assert.is((await site.send('POST', `${V2}/posts/${one}`, { status: 'draft' }, 'ed')).status, 200)
    assert.is((await outcome(site, `posts/${one}`, token))[0], 200)
    assert.is((await site.send('DELETE', `${V2}/posts/${one}?force=true`, {}, 'ed')).status, 200)
    assert.equal(await outcome(site, `posts/${one}`, token), INVALID)
  })

  tokens('expire at the set time', async () => {
    using clock = stopClock()
    await using site = await serveWithUsers(place)
    const id = await addPost(site, { status: 'draft' })
    const { token } = await linkTo(site, `posts/${id}`, { expires_in: 60 })
    clock.advance(59_000)
    assert.is((await outcome(site, `posts/${id}`, token))[0], 200)
    clock.advance(1000)
    assert.equal(await outcome(site, `posts/${id}`, token), [403, 'rest_preview_expired'])
    // For another post, the link is invalid rather than expired.
    assert.equal(await outcome(site, 'posts/1', token), INVALID)
  })

  tokens('expire when the issuer loses the right to edit, changes the password or is deleted', async () => {
    await using site = await serveWithUsers(place)
    const { users: ids, kernel } = site
    const { users } = kernel.services
    const id = await addPost(site, { status: 'draft', author_id: ids.ann })
    const path = `posts/${id}`
    const createToken = async (login: 'ed' | 'ann' | 'admin') => (await linkTo(site, path, {}, login)).token
    const [byEd, byAnn, byAdmin] = [await createToken('ed'), await createToken('ann'), await createToken('admin')]
    const good = async () =>
      Promise.all([byEd, byAnn, byAdmin].map(async (token) => (await outcome(site, path, token))[0] === 200))
    assert.equal(await good(), [true, true, true])
    await users.update(ids.ed, { roles: ['author'] })
    assert.equal(await good(), [false, true, true])
    await users.update(ids.ed, { roles: ['editor'] })
    assert.equal(await good(), [true, true, true], 'the right is back')
    await users.update(ids.ed, { password: 'another pass phrase' })
    assert.equal(await good(), [false, true, true])
    // Contributors may edit their drafts, but not after publication.
    await users.update(ids.ann, { roles: ['contributor'] })
    assert.equal(await good(), [false, true, true])
    await site.send('POST', `${V2}/${path}`, { status: 'publish' }, 'admin')
    assert.equal(await good(), [false, false, true])
    await users.delete(ids.admin, ids.ed)
    assert.equal(await good(), [false, false, false])
    const renewed = await createToken('ed')
    assert.is((await outcome(site, path, renewed))[0], 200)
  })

  tokens('expire when their revision is deleted', async () => {
    await using site = await serveWithUsers(place)
    const [id, other] = [await addPost(site, { title: 'Now' }), await addPost(site, {})]
    const revision = await addRevision(site, id, { title: 'Then' })
    const { token } = await linkTo(site, `posts/${id}`, { revision })
    const { posts } = site.kernel.services
    assert.is((await shownBy(site, `posts/${id}`, token)).body.title.rendered, 'Then')
    const move = (parent: number) =>
      site.store.run(site.store.db.updateTable('posts').set({ parent_id: parent }).where('id', '=', revision))
    await move(other)
    assert.equal(await outcome(site, `posts/${id}`, token), INVALID, 'it is of another post')
    await move(id)
    assert.is((await outcome(site, `posts/${id}`, token))[0], 200)
    await posts.remove(revision, { user: VISITOR, scope: new RequestCache() })
    assert.equal(await outcome(site, `posts/${id}`, token), INVALID)
  })

  tokens('expire when the key of the site or their front end is removed', async () => {
    await using database = await place()
    await using site = await serveWithUsers(shared(database), withFrontEnds)
    const id = await addPost(site, { status: 'draft' })
    const main = (await linkTo(site, `posts/${id}`)).token
    const other = (await linkTo(site, `posts/${id}`, { front_end: 'other' })).token
    const good = (target: SiteWithUsers) =>
      Promise.all([main, other].map(async (token) => (await outcome(target, `posts/${id}`, token))[0] === 200))
    const configured = async (front_ends: Record<string, string>) => {
      await using again = await serve({ database: database.url, plugins: { previews: { front_ends } } })
      return await good(withUsers(again, site.users))
    }
    assert.equal(await good(site), [true, true])
    const movedFrontEnd = { main: 'https://front.example/elsewhere?t={token}' }
    assert.equal(await configured(movedFrontEnd), [true, false], 'one is configured no longer')
    const swapped = { main: 'http://front.example/?t={token}', other: 'https://other.example/{token}' }
    assert.equal(await configured(swapped), [false, true], 'one is elsewhere')
    assert.equal(await configured({}), [false, false])
    const own = (await linkTo(site, `posts/${id}`)).token
    assert.is((await outcome(site, `posts/${id}`, own))[0], 200)
    await site.kernel.services.previews.revokeAll()
    assert.equal(await outcome(site, `posts/${id}`, own), INVALID)
    await linkTo(site, `posts/${id}`)
    assert.equal(await outcome(site, `posts/${id}`, own), INVALID, 'the next key is another one')
  })

  tokens('of another site are invalid', async () => {
    await using one = await serveWithUsers(place)
    await using two = await serveWithUsers(place, { home: one.home })
    const [id, same] = [await addPost(one, { status: 'draft' }), await addPost(two, { status: 'draft' })]
    assert.is(id, same)
    const { token } = await linkTo(one, `posts/${id}`)
    assert.equal(await outcome(two, `posts/${id}`, token), INVALID)
    await linkTo(two, `posts/${id}`)
    assert.equal(await outcome(two, `posts/${id}`, token), INVALID)
  })

  tokens('are all valid when the first ones are requested concurrently', async () => {
    await using site = await serveWithUsers(place)
    const links = await Promise.all([1, 2, 3, 4, 5].map(() => linkTo(site, 'posts/2')))
    for (const { token } of links) assert.is((await outcome(site, 'posts/2', token))[0], 200)
  })

  tokens.run()
}

const tampering = suite('tampered preview tokens')

tampering('S8: are refused', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const id = await addPost(site, { status: 'draft', title: 'Secret' })
  const { token } = await linkTo(site, `posts/${id}`)
  const another = (await linkTo(site, 'posts/1')).token
  const refused = async (text: string) => {
    const { status, body } = await shownBy(site, `posts/${id}`, text)
    assert.equal([status, body.code], INVALID, text)
    assert.not.match(JSON.stringify(body), 'Secret')
  }
  const [body = '', signature = ''] = token.split('.')
  const [anotherBody = '', anotherSignature = ''] = another.split('.')
  const later = Buffer.from(
    Buffer.from(body, 'base64url')
      .toString()
      .replace(/"e":\d/, '"e":9'),
  ).toString('base64url')
  const texts = [
    '',
    '.',
    `${body}.`,
    `.${signature}`,
    body,
    signature,
    `${body}.${anotherSignature}`,
    `${anotherBody}.${signature}`,
    `${later}.${signature}`,
    `${token} `,
    ` ${token}`,
    `${token}=`,
    `${token}.${signature}`,
    `${body}==.${signature}`,
    token.toUpperCase(),
    `${body}.${signature.slice(0, -1)}`,
    `${token}\n`,
    `${token}\u{1d7d8}`,
    'a'.repeat(5000),
    `${body}.${'A'.repeat(43)}`,
    `${Buffer.from('null').toString('base64url')}.${'A'.repeat(43)}`,
  ]
  for (const text of texts) await refused(text)
  // Replaces each character. The last base64url character has several encodings of the same bytes.
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
  const marks = fc.array(fc.constantFrom(...letters, '.', '=', '~', '%', '\u00e9'), { minLength: token.length })
  await fc.assert(
    fc.asyncProperty(marks, async (some) => {
      const changed = Array.from(token, (_, at) => token.slice(0, at) + some[at]! + token.slice(at + 1))
      // Sequentially on one connection: the server would close some of hundreds of idle connections.
      for (const text of changed) if (text !== token) await refused(text)
    }),
    { numRuns: 2 },
  )
  const ends = letters.map((mark) => token.slice(0, -1) + mark)
  for (const text of ends) if (text !== token) await refused(text)
  await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), refused), { numRuns: 50 })
  assert.is((await shownBy(site, `posts/${id}`, token)).status, 200)
})

tampering('S8: count only once, in the URL, as a string', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const id = await addPost(site, { status: 'draft', title: 'Secret' })
  const { token } = await linkTo(site, `posts/${id}`)
  const get = async (query: string) => {
    const response = await site.get(`${V2}/posts/${id}?${query}`)
    return [response.status, ((await response.json()) as Body).code]
  }
  assert.equal(await get(`preview_token[]=${token}`), INVALID)
  assert.equal(await get(`preview_token[a]=${token}`), INVALID)
  assert.equal(await get('preview_token='), INVALID)
  assert.equal(await get(`preview_token=${token}&preview_token=x`), INVALID, 'the last one counts')
  assert.equal(await get(`preview_token=x&preview_token=${token}`), [200, undefined])
  assert.equal(await get(`Preview_Token=${token}`), [401, 'rest_forbidden'])
  const read = (init: RequestInit) => site.request(`${V2}/posts/${id}`, init)
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ preview_token: token })
  assert.is((await read({ method: 'POST', headers: { ...json, 'x-http-method-override': 'GET' }, body })).status, 401)
  assert.is((await read({ headers: { preview_token: token, cookie: `preview_token=${token}` } })).status, 401)
})

tampering.run()
