import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, type Site, startOnly } from '../../../helpers/site.ts'

startOnly('posts')

const statements = suite('SQL statements of posts')
stopClockFor(statements)

/** A site with one item of each kind, after its options have been read. */
async function warm(posts = 20): Promise<Site> {
  const site = await serve()
  const category = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const [top] = await addPosts(site.store, { type: 'page', title: 'Top' })
  for (let n = 0; n < posts; n++) {
    await addPosts(
      site.store,
      { title: `Post ${n}`, terms: [category], meta: { _thumbnail_id: 5 }, author_id: n },
      { type: 'page', title: `Page ${n}`, parent_id: top!, meta: { _page_template: 'x' } },
    )
  }
  await site.get('/svc/v2/posts')
  return site
}

/** The statements of a request, without options and totals, which are cached for a second. */
async function executed(site: Site, path: string, headers = {}): Promise<string[]> {
  const executedStatements = await site.statements(async () => void (await (await site.get(path, headers)).text()))
  return executedStatements.filter((sql) => !/^select count\(| from "?options"?/.test(sql))
}

statements('are equally many for a list of any page size', async () => {
  await using site = await warm()
  for (const type of ['posts', 'pages']) {
    const small = await executed(site, `/svc/v2/${type}?per_page=2`)
    const large = await executed(site, `/svc/v2/${type}?per_page=19`)
    assert.is(small.length, large.length, type)
    assert.ok(large.length <= 6, `${type}: ${large.length}`)
  }
})

statements('are at most four for a single post, five in the context edit', async () => {
  await using site = await warm(2)
  for (const path of ['/svc/v2/posts/2', '/svc/v2/pages/3', '/svc/v2/posts/2?context=edit', '/svc/v2/posts/999']) {
    const executedStatements = await executed(site, path, as('editor'))
    assert.ok(executedStatements.length <= (path.includes('edit') ? 5 : 4), `${path}: ${executedStatements.length}`)
  }
})

statements('are at most eleven for a new post', async () => {
  await using site = await warm(2)
  const create = async (title: string) => {
    const body = JSON.stringify({ title, content: 'Words', status: 'publish' })
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    assert.is((await site.request('/svc/v2/posts', { method: 'POST', headers, body })).status, 201)
  }
  await create('First')
  const executedStatements = await site.statements(() => create('Second'))
  assert.ok(executedStatements.length <= 11, executedStatements.join('\n'))
})

statements('are omitted for fields that are not requested', async () => {
  await using site = await warm(2)
  assert.is((await executed(site, '/svc/v2/posts?_fields=id,title,link')).length, 1)
  assert.is((await executed(site, '/svc/v2/posts?_fields=id,categories')).length, 2)
  assert.is((await executed(site, '/svc/v2/posts?_fields=id,featured_media')).length, 2)
  const [lean] = await executed(site, '/svc/v2/posts?_fields=id')
  assert.not.match(lean!, /"content"/)
  const [withTexts] = await executed(site, '/svc/v2/posts?_fields=excerpt')
  assert.match(withTexts!, /"content"/)
})

const HOSTILE = ["1' or '1'='1", '1;drop table posts', '１２', '%_\\', 'x'.repeat(5000), '"', '--', '\u0000']

/** Arguments with sets of values that must produce the same SQL. */
const SAME: Record<string, string[]> = {
  include: ['1', '2'],
  'include of two': ['include=1,2', 'include[]=3&include[]=4', 'include[a]=3&include[b]=4'],
  exclude: ['1', '2'],
  author: ['1', '7'],
  author_exclude: ['1', '7'],
  parent: ['1', '7'],
  'slug[]': ['a', 'A title', ...HOSTILE],
  categories: ['1', '2'],
  tags: ['1', '2'],
  categories_exclude: ['1', '2'],
  offset: ['1', '2'],
  after: ['2020-01-01T00:00:00', '2021-01-01T00:00:00Z'],
  before: ['2030-01-01T00:00:00', '2031-01-01T00:00:00+02:00'],
  search: ['zebra', 'quagga', 'O’Neil', "'or'1'='1", 'drop;table', '%%%', 'x'.repeat(1500)],
}

statements('do not depend on argument values', async () => {
  await using site = await warm(2)
  for (const [name, values] of Object.entries(SAME)) {
    const texts = new Set<string>()
    for (const value of values) {
      const query = name.includes(' ') ? value : `${name}=${encodeURIComponent(value)}`
      const [first] = await executed(site, `/svc/v2/posts?_fields=id&per_page=100&${query}`)
      // A refused value runs no statement.
      if (first !== undefined) texts.add(first)
    }
    assert.is(texts.size, 1, `${name}: ${[...texts].join('\n')}`)
    for (const text of texts)
      for (const value of values) if (value.length > 3) assert.not.ok(text.includes(value), name)
  }
})

statements('do not depend on undeclared parameters', async () => {
  await using site = await warm(2)
  const plain = await executed(site, '/svc/v2/posts?_fields=id')
  for (const query of [
    'where[status]=draft',
    'filter[post_status]=any',
    'knex=1',
    '$or[0]=1',
    '__proto__[status]=draft',
    'constructor[prototype][x]=1',
    'post_status=any',
    'meta_key=secret',
    "x'%20or%201=1--=1",
    'types[]=svc_block',
    'statuses=draft',
    'opens=null',
    'readScope=null',
  ]) {
    assert.equal(await executed(site, `/svc/v2/posts?_fields=id&${query}`), plain, query)
  }
  const named = await executed(site, "/svc/v2/posts?_fields=id&include[x'%20or%20'1]=1&include[y]=2")
  assert.not.match(named[0] ?? '', / or '1/)
})

statements('bind checked values only, also for internal requests', async () => {
  await using site = await warm(2)
  const executedStatements = await site.statements(async () => {
    const { RestRequest } = await import('../../../../kernel/index.ts')
    const request = new RestRequest('GET', '/svc/v2/posts', {
      query: { include: { '0) or (1=1': '1' }, orderby: 'id; drop table posts' },
    })
    const response = await site.kernel.server.dispatch(request)
    assert.is(response.status, 400)
  })
  assert.equal(executedStatements, [])
})

statements.run()
