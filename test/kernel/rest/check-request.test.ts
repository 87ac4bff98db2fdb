import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRequest } from '../../../bin/config/index.ts'
import { checker } from '../../../plugins/requests/arguments/checker.ts'
import { makeRoute, readCaptures, RestError, RestRequest } from '../../../kernel/index.ts'

const requests = suite('checkRequest')

const callback = () => null

const [endpoint] = makeRoute('a', 'x/(?P<id>[\\d]+)', {
  callback,
  args: { id: { type: 'integer' }, per_page: { type: 'integer', default: 10, maximum: 100 } },
}).endpoints

requests('validates and sanitizes parameters, and adds default values', async () => {
  const request = new RestRequest('GET', '/a/x/12', { query: { other: 'kept' } })
  request.captures = { id: '12' }
  assert.is(await checkRequest(checker, request, endpoint!), null)
  assert.equal({ ...request.params() }, { id: 12, per_page: 10, other: 'kept' })
})

requests('converts IDs to numbers even if another argument is invalid', async () => {
  const request = new RestRequest('GET', '/a/x/12', { query: { per_page: '1000' } })
  request.captures = { id: '12' }
  assert.instance(await checkRequest(checker, request, endpoint!), RestError)
  assert.is(request.get('id'), 12)
})

requests('sanitizes captures by the endpoint that declares them, and leaves others as text', () => {
  assert.equal(
    { ...readCaptures(checker, { id: '7', slug: 'a', bad: 'x' }, [endpoint!]) },
    { id: 7, slug: 'a', bad: 'x' },
  )
  assert.equal({ ...readCaptures(checker, { id: 'none' }, [endpoint!]) }, { id: 'none' })
})

requests.run()
