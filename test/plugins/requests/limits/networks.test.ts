import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { networksOf } from '../../../../plugins/requests/limits/networks.ts'

const networks = suite('networksOf')

networks('returns the address itself for IPv4, including IPv4-mapped IPv6', () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1'])
    assert.equal(networksOf(address), { client: '192.0.2.1', site: null }, address)
})

networks('returns the first 64 and 48 bits for any notation of an IPv6 address', () => {
  const one = { client: '2001:db8:0:0::/64', site: '2001:db8:0::/48' }
  for (const address of ['2001:db8::1', '2001:0DB8:0:0:ffff::2', '2001:db8::1.2.3.4', '2001:db8::%eth0'])
    assert.equal(networksOf(address), one, address)
  assert.equal(networksOf('2001:db8:1:2:3:4:5:6'), { client: '2001:db8:1:2::/64', site: '2001:db8:1::/48' })
  assert.equal(networksOf('::1'), { client: '0:0:0:0::/64', site: '0:0:0::/48' })
})

networks('returns the text itself if it is not an address', () => {
  for (const text of ['', 'unix', '1.2.3', ':::', '2001:db8::1::2'])
    assert.equal(networksOf(text), { client: text, site: null })
})

networks.run()
