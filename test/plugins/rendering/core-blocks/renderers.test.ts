import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RENDERED } from '../../../../plugins/rendering/core-blocks/rendered.ts'
import { RENDERERS } from '../../../../plugins/rendering/core-blocks/renderers.ts'

const renderers = suite('renderers of core blocks')

renderers('are those that are named where the blocks are registered', () => {
  assert.equal(Object.keys(RENDERERS).toSorted(), [...RENDERED].toSorted())
})

renderers.run()
