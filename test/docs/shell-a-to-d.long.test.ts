import { runShellBlocks } from './shell-blocks.ts'

await runShellBlocks(/[a-d]/)
