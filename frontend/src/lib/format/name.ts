import { visible } from '$lib/ui/visible'

/** The name of an agent wherever it is shown, with hidden characters made visible; one without a name is called by its file. */
export const agentName = (name: string | undefined, file: string): string => visible(name?.trim() || file.slice(file.lastIndexOf('/') + 1))
