import { runShellBlocks } from './shell-blocks.ts'

await runShellBlocks(/[e-m]/)
