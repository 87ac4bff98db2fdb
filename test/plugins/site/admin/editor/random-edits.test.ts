import { suite } from 'uvu'
import { checkRandomEdits } from './random-edits.ts'

const edits = suite('random edits in the rich editor')

edits('keep the bytes of untouched blocks, and touched ones are read as they were', () => {
  checkRandomEdits({ seeds: 8, editsPerSeed: 40 })
})

edits.run()
