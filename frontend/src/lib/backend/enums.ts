/* The generator names Go's string types in the calls but leaves their values
   out of the models; they are added here. enums.test.ts compares them with Go. */

export const runModes = ['cell', 'from', 'all'] as const
export const choices = ['mine', 'disk', 'both'] as const
export const restoreChoices = ['leave', 'take'] as const

declare module '../../../wailsjs/go/models' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- adds to a generated namespace
  export namespace runner {
    export type Mode = (typeof runModes)[number]
  }
  // eslint-disable-next-line @typescript-eslint/no-namespace -- adds to a generated namespace
  export namespace documents {
    export type Choice = (typeof choices)[number]
  }
  // eslint-disable-next-line @typescript-eslint/no-namespace -- adds to a generated namespace
  export namespace checkpoint {
    export type Choice = (typeof restoreChoices)[number]
  }
}
