import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RENDERED } from '../../../../plugins/rendering/core-blocks/rendered.ts'
import { RENDERERS } from '../../../../plugins/rendering/core-blocks/renderers.ts'

const renderers = suite('core block renderers')

renderers('match the names used for registration', () => {
  assert.equal(Object.keys(RENDERERS).toSorted(), [...RENDERED].toSorted())
})

renderers.run()
