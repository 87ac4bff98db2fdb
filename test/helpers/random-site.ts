import type { Kernel } from '../../bin/config/index.ts'
import {
  createContent,
  restoreContent,
  writesOfComments,
  writesOfMedia,
  writesOfPosts,
  writesOfTerms,
} from './random-content.ts'
import {
  restoreSettings,
  writesOfOptions,
  writesOfProcesses,
  writesOfPrograms,
  writesOfUsers,
} from './random-people.ts'
import { writesOfRows } from './random-rows.ts'
import { watched } from './random-plugins.ts'
import { RandomTools, type RandomObjects, type Writes } from './random-tools.ts'
import type { Random } from './random.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** A write that changes a site at random, and what to call it. */
export interface RandomWrite {
  readonly name: string
  run(this: void): Promise<unknown>
}

/** After so many writes the objects are brought back in order. */
const RESTORED = 9

/** Chooses writes of every kind, made in every way in which something may be written: each once before one comes again. */
export class RandomWriter {
  readonly #tools: RandomTools
  readonly #kernels: readonly Kernel[]
  #left: string[] = []
  #count = 0

  /** @param kernels the processes of the site, with the plugin `furniture`; none where they are not all in this one */
  constructor(site: SiteWithUsers, random: Random, kernels: readonly Kernel[]) {
    this.#tools = new RandomTools(site, random)
    this.#kernels = kernels
  }

  get objects(): RandomObjects {
    return this.#tools.objects
  }

  /** Some objects of each kind. */
  async begin(): Promise<void> {
    watched.objects = this.objects
    await restoreSettings(this.#tools)
    await createContent(this.#tools)
  }

  /** The next write. */
  next(): RandomWrite {
    this.#count += 1
    if (this.#count % RESTORED === 0) return { name: 'restore order', run: () => this.#restore() }
    const writes = this.#all()
    if (this.#left.length === 0) this.#left = Object.keys(writes)
    const [name] = this.#left.splice(Math.floor(this.#tools.random() * this.#left.length), 1)
    return { name: name!, run: writes[name!]! }
  }

  async #restore(): Promise<void> {
    await restoreSettings(this.#tools)
    await restoreContent(this.#tools)
  }

  /** All that there are, by the process that is written to now. */
  #all(): Writes {
    return writesOfContent(this.#tools, this.#kernels)
  }
}

/** Writes of content, users, options and of plugins. @param kernels the processes of the site; none if one is elsewhere */
export function writesOfContent(tools: RandomTools, kernels: readonly Kernel[]): Writes {
  return {
    ...writesOfPosts(tools),
    ...writesOfTerms(tools),
    ...writesOfComments(tools),
    ...writesOfMedia(tools),
    ...writesOfRows(tools),
    ...writesOfUsers(tools),
    ...writesOfOptions(tools),
    ...writesOfPrograms(tools),
    ...(kernels.length > 0 && writesOfProcesses(tools, kernels)),
  }
}
