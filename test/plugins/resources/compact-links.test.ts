import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestResponse } from '../../../kernel/index.ts'
import resources from '../../../plugins/resources/index.ts'
import { bare, IT, open, routed } from '../../kernel/bare.ts'

const links = suite('compact-links')

links('shortens link relations with known prefixes and lists the used prefixes under curies', async () => {
  await using site = await bare([
    resources,
    routed({
      ...open,
      callback: () => {
        const response = new RestResponse({ id: 1 })
        response.addLink('self', 'http://a/1')
        response.addLink('urn:svc-rest:term', 'http://a/t', { embeddable: true })
        response.addLink('svc:term', 'http://a/u')
        return response
      },
    }),
  ])
  assert.equal((await site.raw(IT)).json, {
    id: 1,
    _links: {
      self: [{ href: 'http://a/1' }],
      'svc:term': [{ embeddable: true, href: 'http://a/t' }, { href: 'http://a/u' }],
      curies: [{ name: 'svc', href: 'urn:svc-rest:{rel}', templated: true }],
    },
  })
})

links.run()
