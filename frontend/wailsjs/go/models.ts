export namespace access {
	
	export interface TrustView {
	    trusted: boolean;
	    asked: boolean;
	    rules: string[];
	    guides: string[];
	    skills: string[];
	    kinds: string[];
	    servers: string[];
	    commands: string[];
	    notebooks: number;
	    fresh: string[];
	}

}

export namespace acp {
	
	export interface Choice {
	    value: string;
	    name: string;
	    description: string;
	}
	export interface Command {
	    name: string;
	    description: string;
	    hint: string;
	}
	export interface Input {
	    id: string;
	    name: string;
	    command: string;
	    args: string[];
	    env: Record<string, string>;
	}
	export interface Option {
	    id: string;
	    name: string;
	    description: string;
	    category: string;
	    value: string;
	    choices: Choice[];
	}
	export interface SessionView {
	    agent: string;
	    session: string;
	    live: boolean;
	    options: Option[];
	    commands: Command[];
	    used: number;
	    size: number;
	    cost: number;
	    currency: string;
	}
	export interface SignInMethod {
	    id: string;
	    name: string;
	    description: string;
	}
	export interface View {
	    id: string;
	    name: string;
	    from: string;
	    line: string;
	    version: string;
	    state: string;
	    problem: string;
	    home: string;
	    signIns: SignInMethod[];
	}

}

export namespace agentfiles {
	
	export interface Remembered {
	    notebooks: number;
	    bytes: number;
	}

}

export namespace agenttree {
	
	export interface Total {
	    tokens: number;
	    input?: number;
	    cached?: number;
	    guessed?: boolean;
	    cost: number;
	    estimated: boolean;
	    unpriced?: boolean;
	}
	export interface Node {
	    uuid: string;
	    name: string;
	    parentId?: string;
	    file: string;
	    status: string;
	    marks: string[];
	    createdAt: string;
	    modifiedMs: number;
	    startedMs?: number;
	    endedMs?: number;
	    action?: string;
	    problem?: string;
	    kind?: string;
	    answeredBy?: string;
	    advice?: string;
	    timeMs: number;
	    own: Total;
	    subtree: Total;
	}

}

export namespace approval {
	
	export interface Part {
	    kind: string;
	    text: string;
	    program: string;
	    args: string[];
	    target: string;
	    depth: number;
	    understood: boolean;
	    note: string;
	}
	export interface Command {
	    text: string;
	    understood: boolean;
	    problem: string;
	    parts: Part[];
	}
	export interface Decision {
	    allow: boolean;
	    scope: string;
	    patterns: string[];
	    reason: string;
	    arguments: string;
	    answer: string;
	    left: string[];
	    seen: string;
	    seenMs: number;
	}
	export interface Line {
	    op: string;
	    text: string;
	}
	export interface FileChange {
	    path: string;
	    new: boolean;
	    lines: Line[];
	    hunks: string[];
	    added: number;
	    removed: number;
	    more: number;
	    plain: string;
	}
	
	
	export interface PartVerdict {
	    text: string;
	    outcome: string;
	    reason: string;
	    rule: string;
	}
	export interface Question {
	    text: string;
	    choices: string[];
	    several: boolean;
	}
	export interface Renewed {
	    file: string;
	    by: string;
	    atMs: number;
	}
	export interface WriteConflict {
	    file: string;
	    path: string;
	    agent: string;
	    notebook: string;
	    atMs: number;
	    running: boolean;
	    uncertain?: boolean;
	}
	export interface Verdict {
	    outcome: string;
	    reason: string;
	    parts: PartVerdict[];
	}
	export interface Warning {
	    kind: string;
	    text: string;
	}
	export interface Suggestion {
	    label: string;
	    patterns: string[];
	}
	export interface Request {
	    id: string;
	    atMs: number;
	    tool: string;
	    action: string;
	    why: string;
	    path: string;
	    notebook: string;
	    agent: string;
	    cell: string;
	    callId: string;
	    folder: string;
	    arguments: string;
	    described?: Record<string, string>;
	    command?: Command;
	    changes: FileChange[];
	    suggestions: Suggestion[];
	    warnings: Warning[];
	    verdict: Verdict;
	    question?: Question;
	    allowed: string[];
	    conflicts: WriteConflict[];
	    held: string;
	    print: string;
	    renewed?: Renewed;
	}
	export interface Rule {
	    id: string;
	    tool: string;
	    pattern: string;
	    deny: boolean;
	    scope: string;
	    notebook: string;
	    atMs: number;
	}
	
	
	

}

export namespace branches {
	
	export interface Tests {
	    passed: number;
	    failed: number;
	    skipped: number;
	    unit: string;
	    broken: string[];
	    cell: string;
	    before: number;
	}
	export interface FileChange {
	    path: string;
	    added: number;
	    removed: number;
	    writes: number;
	}
	export interface Row {
	    cell: string;
	    number: number;
	    role: string;
	    prompt: string;
	    answer: string;
	    files: FileChange[];
	    calls: number;
	    failed: number;
	    model: string;
	    used: agenttree.Total;
	    output: number;
	    cost: string;
	    timeMs: number;
	    state: string;
	    runs: boolean;
	    carried?: notebook.Carried;
	}
	export interface Side {
	    path: string;
	    branch?: string;
	    name: string;
	    status?: string;
	    rows: Row[];
	    files: FileChange[];
	    models: string[];
	    used: agenttree.Total;
	    output: number;
	    cost: string;
	    timeMs: number;
	    state: string;
	    endMs: number;
	    runs: boolean;
	    tests?: Tests;
	}
	export interface PlaceLine {
	    text: string;
	    added: boolean;
	}
	export interface SamePlace {
	    path: string;
	    line: number;
	    sides: PlaceLine[][];
	}
	export interface Comparison {
	    common: number;
	    samePrompt: boolean;
	    place?: SamePlace;
	    sides: Side[];
	}
	export interface Edge {
	    from: string;
	    to: string;
	    kind: string;
	    cells: number;
	    cell?: string;
	    next: string;
	}
	export interface Member {
	    id: string;
	    path: string;
	    branch?: string;
	    uuid?: string;
	    name: string;
	    cells: number;
	    begin: string;
	    first: string;
	    status?: string;
	    marks: string[];
	    atMs: number;
	    timeMs: number;
	    used: agenttree.Total;
	}
	export interface Family {
	    members: Member[];
	    edges: Edge[];
	    more: number;
	}
	
	
	export interface NewRun {
	    name: string;
	    provider: string;
	    model: string;
	    ownTree: boolean;
	}
	export interface Place {
	    path: string;
	    branch?: string;
	}
	
	export interface PromptVersion {
	    at: string;
	    text: string;
	    added: number;
	    removed: number;
	}
	
	
	export interface SentDifferent {
	    message: number;
	    role: string;
	    source: string;
	    byte: number;
	    first: string;
	    this: string;
	}
	export interface Sent {
	    path: string;
	    number: number;
	    atMs: number;
	    model: string;
	    messages: number;
	    tokens: number;
	    same: number;
	    differs?: SentDifferent;
	}
	
	

}

export namespace builtin {
	
	export interface Status {
	    confined: boolean;
	    how: string;
	    hides: boolean;
	}
	export interface TaskOutput {
	    raw: string;
	    begin: number;
	    next: number;
	    ended: boolean;
	}

}

export namespace catalog {
	
	export interface NewNotebook {
	    name: string;
	    parentId?: string;
	    kind?: string;
	}

}

export namespace chat {
	
	export interface CallFacts {
	    end?: string;
	    reason?: string;
	    line?: string;
	    exit?: number;
	    output?: string;
	    added?: number;
	    removed?: number;
	    matches?: number;
	    found?: number;
	    more?: boolean;
	    answer?: string;
	    declined?: boolean;
	}
	export interface Usage {
	    input: number;
	    cached?: number;
	    output: number;
	    reasoning?: number;
	    estimated?: boolean;
	    microdollars?: number;
	}

}

export namespace checkpoint {
	
	export interface Trouble {
	    path: string;
	    why: string;
	}
	export interface Applied {
	    id: string;
	    restored: string[];
	    left: Trouble[];
	    conversation?: fault.Error;
	}
	export interface Hunk {
	    id: string;
	    from: number;
	    fromN: number;
	    to: number;
	    toN: number;
	    lines: string[];
	    noLast?: boolean;
	}
	export interface State {
	    kind: string;
	    mode?: number;
	    size?: number;
	    sum?: string;
	    modNs?: number;
	    target?: string;
	}
	export interface Change {
	    path: string;
	    start: State;
	    now: State;
	    added: number;
	    removed: number;
	    hunks: Hunk[];
	    plain?: string;
	    more: number;
	    mixed: boolean;
	    others?: string[];
	    uncertain: boolean;
	}
	
	export interface Restore {
	    path: string;
	    action: string;
	    conflict: boolean;
	    uncertain: boolean;
	    why?: string;
	    by?: string;
	    from: State;
	    to: State;
	}
	export interface Plan {
	    notebook: string;
	    cell?: string;
	    files: Restore[];
	    notes: string[];
	    token: string;
	}
	
	

}

export namespace coedit {
	
	export interface File {
	    file: string;
	    read: boolean;
	    wrote: boolean;
	    atMs: number;
	    others: approval.WriteConflict[];
	}

}

export namespace compaction {
	
	export interface Loss {
	    kind: string;
	    text: string;
	    cell: string;
	    note?: string;
	    from: number;
	}

}

export namespace complete {
	
	export interface Argument {
	    name: string;
	    description?: string;
	    required?: boolean;
	}
	export interface Item {
	    kind: string;
	    label: string;
	    detail: string;
	    insert: string;
	    hint?: string;
	    match: number[];
	    arguments?: Argument[];
	}

}

export namespace documents {
	
	export interface ConflictView {
	    mine: string;
	    disk: string;
	    gone: boolean;
	}
	export interface EditResult {
	    seq: number;
	    rev: number;
	    id?: string;
	}
	export interface Match {
	    at: number;
	    line: number;
	    text: string;
	    before: string;
	    after: string;
	}
	export interface FoundText {
	    cell: string;
	    kind: string;
	    index: number;
	    call?: string;
	    matches: Match[];
	}
	export interface Found {
	    seq: number;
	    total: number;
	    partial: boolean;
	    texts: FoundText[];
	}
	
	
	export interface Replaced {
	    seq: number;
	    rev: number;
	    id?: string;
	    places: number;
	    left: number;
	    end: number;
	}
	export interface Replacement {
	    query: textsearch.Query;
	    with: string;
	    cell?: string;
	    at?: number;
	}
	export interface UnsavedView {
	    notebook: string;
	    file: string;
	    atMs: number;
	}

}

export namespace event {
	
	export interface ACPAgentsChanged {
	    agent: string;
	}
	export interface ACPSessionChanged {
	    path: string;
	}
	export interface ApprovalsChanged {
	    added: approval.Request[];
	    removed?: string;
	}
	export interface CallProgress {
	    runId: string;
	    path: string;
	    cell: string;
	    callId: string;
	    done: number;
	    total: number;
	    text: string;
	}
	export interface ToolsHeld {
	    server: string;
	    tools: string[];
	}
	export interface SignInWanted {
	    server: string;
	}
	export interface ServersChanged {
	    server: string;
	}
	export interface CellWanted {
	    path: string;
	    cell: string;
	}
	export interface PausedChanged {
	    paused: boolean;
	}
	export interface KindsChanged {
	    kinds: kind.Kind[];
	}
	export interface TimelineChanged {
	    spans: timeline.Span[];
	    links: timeline.Link[];
	    past?: string;
	}
	export interface PathsDropped {
	    paths: string[];
	    x: number;
	    y: number;
	}
	export interface FolderScanned {
	    trust: access.TrustView;
	}
	export interface TrustChanged {
	    trust: access.TrustView;
	}
	export interface Compaction {
	    path: string;
	    running: boolean;
	    cell?: string;
	    fault?: fault.Error;
	}
	export interface ContextChanged {
	    path: string;
	    rules: boolean;
	}
	export interface Task {
	    id: string;
	    notebook: string;
	    callId: string;
	    command: string;
	    folder: string;
	    background: boolean;
	    startedMs: number;
	    endedMs: number;
	    exitCode: number;
	    bytes: number;
	    confined: boolean;
	}
	export interface TaskChanged {
	    task: Task;
	    removed: boolean;
	}
	export interface FilesChanged {
	    path: string;
	}
	export interface GrantsChanged {
	    notebook: string;
	}
	export interface ConnectionTested {
	    id: string;
	    provider: string;
	    models: string[];
	    tookMs: number;
	    fault?: fault.Error;
	}
	export interface SettingsChanged {
	    file: string;
	}
	export interface RunFinished {
	    runId: string;
	    path: string;
	    cell: string;
	    outcome: string;
	    fault?: fault.Error;
	}
	export interface RunWaiting {
	    runId: string;
	    path: string;
	    cell: string;
	    attempt: number;
	    untilMs: number;
	    reason: string;
	}
	export interface MessagePut {
	    runId: string;
	    path: string;
	    cell: string;
	    index: number;
	    message: notebook.MessageView;
	}
	export interface ToolCallDelta {
	    index: number;
	    id?: string;
	    name?: string;
	    arguments?: string;
	}
	export interface Delta {
	    runId: string;
	    path: string;
	    cell: string;
	    index: number;
	    text?: string;
	    reasoning?: string;
	    toolCalls?: ToolCallDelta[];
	}
	export interface RunStarted {
	    runId: string;
	    path: string;
	    cell: string;
	    atMs: number;
	    model: string;
	}
	export interface RunQueued {
	    runId: string;
	    path: string;
	    cell: string;
	    now: boolean;
	}
	export interface DiskConflict {
	    path: string;
	    gone: boolean;
	}
	export interface NotebookSaved {
	    path: string;
	    atMs: number;
	    fault?: fault.Error;
	}
	export interface NotebookMoved {
	    from: string;
	    to: string;
	}
	export interface NotebookReloaded {
	    path: string;
	}
	export interface CellsSpliced {
	    path: string;
	    rev: number;
	    origin?: string;
	    typed?: boolean;
	    at: number;
	    remove: number;
	    cells: notebook.CellView[];
	    state: notebook.DocState;
	    meta: notebook.MetaView;
	}
	export interface TreeChanged {
	    nodes: agenttree.Node[];
	    removed: string[];
	}
	export interface Catalog {
	    treeChanged?: TreeChanged;
	    cellsSpliced?: CellsSpliced;
	    notebookReloaded?: NotebookReloaded;
	    notebookMoved?: NotebookMoved;
	    notebookSaved?: NotebookSaved;
	    diskConflict?: DiskConflict;
	    runQueued?: RunQueued;
	    runStarted?: RunStarted;
	    delta?: Delta;
	    messagePut?: MessagePut;
	    runWaiting?: RunWaiting;
	    runFinished?: RunFinished;
	    callProgress?: CallProgress;
	    settingsChanged?: SettingsChanged;
	    connectionTested?: ConnectionTested;
	    approvalsChanged?: ApprovalsChanged;
	    grantsChanged?: GrantsChanged;
	    filesChanged?: FilesChanged;
	    taskChanged?: TaskChanged;
	    contextChanged?: ContextChanged;
	    compaction?: Compaction;
	    trustChanged?: TrustChanged;
	    folderScanned?: FolderScanned;
	    pathsDropped?: PathsDropped;
	    timelineChanged?: TimelineChanged;
	    kindsChanged?: KindsChanged;
	    pausedChanged?: PausedChanged;
	    cellWanted?: CellWanted;
	    serversChanged?: ServersChanged;
	    acpAgentsChanged?: ACPAgentsChanged;
	    acpSessionChanged?: ACPSessionChanged;
	    signInWanted?: SignInWanted;
	    toolsHeld?: ToolsHeld;
	}
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	
	

}

export namespace fault {
	
	export interface Field {
	    text?: string;
	    sentence?: number;
	}
	export interface Sentence {
	    text: string;
	    fields?: Field[];
	}
	export interface Error {
	    kind: string;
	    code?: string;
	    message: string;
	    said?: Sentence[];
	}
	

}

export namespace folderrules {
	
	export interface View {
	    name: string;
	    path: string;
	}

}

export namespace images {
	
	export interface Inserted {
	    text: string;
	    notes: string[];
	}

}

export namespace imports {
	
	export interface FoundServer {
	    name: string;
	    line: string;
	    problem: string;
	    lacks: string[];
	    keys: string[];
	    have: boolean;
	}
	export interface EnteredServers {
	    servers: FoundServer[];
	    problem: string;
	}
	export interface Found {
	    program: string;
	    path: string;
	    servers: FoundServer[];
	    problem: string;
	}

}

export namespace inspect {
	
	export interface Cache {
	    tokens: number;
	    message: number;
	    segment: number;
	    brokenBy: string;
	}
	export interface DiffLine {
	    op: string;
	    old: number;
	    new: number;
	    text: string;
	}

}

export namespace kind {
	
	export interface Kind {
	    name: string;
	    description: string;
	    model: string;
	    tools: string[];
	    rules: string[];
	    children: string[];
	    role: string;
	    source: string;
	    problem: string;
	    changes: boolean;
	    inert: boolean;
	}

}

export namespace lookup {
	
	export interface Cell {
	    path: string;
	    id: string;
	    number: number;
	    words: string;
	}
	export interface Found {
	    cells: Cell[];
	    total: number;
	    reading: boolean;
	}
	export interface Glimpse {
	    id: string;
	    number: number;
	    prompt: string;
	    answer: string;
	}

}

export namespace mcp {
	
	export interface SignInView {
	    can: boolean;
	    in: boolean;
	    renews: boolean;
	    expiresMs: number;
	    waiting: boolean;
	    address: string;
	    host: string;
	    wants: string[];
	    problem: string;
	    unkept: string;
	}
	export interface View {
	    name: string;
	    from: string;
	    line: string;
	    state: string;
	    problem: string;
	    title: string;
	    version: string;
	    revision: string;
	    tools: number;
	    tokens: number;
	    changed: string[];
	    signIn: SignInView;
	}
	export interface Listing {
	    servers: View[];
	    problem: string;
	}
	export interface SignInPage {
	    address: string;
	    host: string;
	}
	
	export interface ToolChange {
	    server: string;
	    tool: string;
	    hash: string;
	    before: string;
	    after: string;
	}

}

export namespace notebook {
	
	export interface BranchView {
	    id: string;
	    cell: string;
	    atMs: number;
	    cells: number;
	    messages: number;
	    summary: string;
	}
	export interface CacheMiss {
	    expected: number;
	    read: number;
	    same: number;
	    bytes: number;
	    brokenBy?: string;
	    agoMs: number;
	}
	export interface Carried {
	    uuid?: string;
	    name: string;
	    cell: string;
	    conclusion?: boolean;
	}
	export interface ModelUsage {
	    model: string;
	    runs: number;
	    input: number;
	    cached?: number;
	    output: number;
	    reasoning?: number;
	    estimated?: boolean;
	    microdollars?: number;
	}
	export interface RunInfo {
	    startedAtMs?: number;
	    tookMs?: number;
	    model?: string;
	    outcome?: string;
	    fault?: fault.Error;
	    usage?: chat.Usage;
	    requests?: number;
	    asked?: ModelUsage[];
	    cost?: string;
	    cache?: CacheMiss;
	    earlierMs?: number;
	    queuedMs?: number;
	    lostMs?: number;
	    heldMs?: number;
	}
	export interface ChildView {
	    uuid: string;
	    name: string;
	}
	export interface ForkView {
	    call: string;
	    children: ChildView[];
	}
	export interface ToolCallView {
	    id: string;
	    name: string;
	    arguments: string;
	}
	export interface MessageView {
	    role: string;
	    text: string;
	    reasoning?: string;
	    toolCalls?: ToolCallView[];
	    forks?: ForkView[];
	    toolCallId?: string;
	    name?: string;
	    isError?: boolean;
	    facts?: chat.CallFacts;
	    internal?: boolean;
	    truncated?: boolean;
	    tookMs?: number;
	    usage?: chat.Usage;
	}
	export interface CellBody {
	    text: string;
	    multi: boolean;
	    answer: MessageView[];
	    run?: RunInfo;
	}
	export interface Compaction {
	    covers: string[];
	    before: number;
	    after: number;
	    atMs: number;
	    trigger: string;
	    model?: string;
	    usage?: chat.Usage;
	    requests?: number;
	    tookMs?: number;
	    rewritten?: number;
	    once?: number;
	    eachTurn?: number;
	    off?: boolean;
	}
	export interface CellView {
	    id: string;
	    rev: number;
	    role: string;
	    chars: number;
	    answer: number;
	    messages: number;
	    body?: CellBody;
	    compaction?: Compaction;
	    pinned?: boolean;
	    muted?: boolean;
	    mutedCalls?: string[];
	    pinnedCalls?: string[];
	    carried?: Carried;
	    earlier?: number;
	}
	
	
	export interface Spent {
	    input: number;
	    cached: number;
	    output: number;
	    reasoning: number;
	    requests: number;
	    cost: string;
	    unpriced: number;
	    counted: boolean;
	    estimated: boolean;
	    budget: number;
	    percent: number;
	}
	export interface DocState {
	    canUndo: boolean;
	    canRedo: boolean;
	    undoName?: string;
	    redoName?: string;
	    dirty: boolean;
	    branches: BranchView[];
	    spent: Spent;
	}
	export interface Edit {
	    kind: string;
	    cell?: string;
	    before?: string;
	    text?: string;
	    rest?: string;
	    role?: string;
	    id?: string;
	    branch?: string;
	    undone?: boolean;
	    seen?: number;
	}
	
	
	export interface MetaView {
	    uuid: string;
	    name: string;
	    createdAt: string;
	    parentId?: string;
	    allowed: string[];
	    finished: boolean;
	    model?: string;
	    provider?: string;
	    agentType?: string;
	    finishText?: string;
	}
	
	export interface Problem {
	    message: string;
	    line: number;
	    column: number;
	    repairable: boolean;
	}
	
	export interface RunView {
	    runId: string;
	    cell: string;
	    atMs: number;
	    queued: boolean;
	    now: boolean;
	    waitUntilMs?: number;
	    waitReason?: string;
	}
	
	
	export interface View {
	    seq: number;
	    path: string;
	    rev: number;
	    meta: MetaView;
	    cells: CellView[];
	    state: DocState;
	    problem?: Problem;
	    conflict: boolean;
	    running: RunView[];
	}

}

export namespace owned {
	
	export interface ChildTree {
	    path: string;
	    name: string;
	    files: number;
	    conflict: number;
	}
	export interface LeftTree {
	    uuid: string;
	    name: string;
	    folder: string;
	    files: number;
	    gone: boolean;
	}

}

export namespace preview {
	
	export interface Warning {
	    file?: string;
	    line?: number;
	    text: string;
	    cell?: string;
	    folder?: string;
	    part?: string;
	    outside?: boolean;
	}
	export interface Macro {
	    name: string;
	    value: string;
	    from: string;
	}
	export interface ServerTool {
	    name: string;
	    id: string;
	    state: string;
	    why?: string;
	    sent: boolean;
	    tokens: number;
	}
	export interface ServerTools {
	    name: string;
	    id: string;
	    state: string;
	    sent: number;
	    deferred: number;
	    tools: ServerTool[];
	}
	export interface ToolGroup {
	    name: string;
	    tools: number;
	    tokens: number;
	}
	export interface Offered {
	    groups: ToolGroup[];
	    search: number;
	    share: number;
	    servers: ServerTools[];
	    turn: number;
	}
	export interface Part {
	    id: string;
	    source: string;
	    tokens: number;
	    estimated: boolean;
	    cell?: string;
	    note?: string;
	    state: string;
	    version: number;
	    given?: boolean;
	    picture?: string;
	}
	export interface KindTokens {
	    kind: string;
	    tokens: number;
	}
	export interface Context {
	    path: string;
	    cell: string;
	    tokens: number;
	    window: number;
	    estimated: boolean;
	    cost: number;
	    kinds: KindTokens[];
	    rules: Part[];
	    skills: Part[];
	    files: Part[];
	    tools: Part[];
	    offered: Offered;
	    results: Part[];
	    images: Part[];
	    resources: Part[];
	    documents: Part[];
	    macros: Macro[];
	    warnings: Warning[];
	    allowed: string[];
	    asked: string[];
	    missing: string[];
	    placement: string;
	    effort: string;
	    efforts: boolean;
	    trusted: boolean;
	    programRules: boolean;
	}
	export interface Expected {
	    kind: string;
	    tokens: number;
	    expired: boolean;
	    agoMs: number;
	    least: number;
	}
	export interface Input {
	    tokens: number;
	    cached: number;
	    cost: number;
	}
	
	
	export interface Segment {
	    id: string;
	    kind: string;
	    source: string;
	    cell?: string;
	    place: string;
	    piece: number;
	    text: string;
	    cut: boolean;
	    tokens: number;
	    estimated: boolean;
	    note?: string;
	    state: string;
	    added: number;
	    deleted: number;
	    diff: inspect.DiffLine[];
	    given?: boolean;
	    picture?: string;
	}
	export interface Message {
	    role: string;
	    name?: string;
	    callId?: string;
	    parts: boolean;
	    cell?: string;
	    number: number;
	    tokens: number;
	    segments: Segment[];
	}
	
	export interface Parameter {
	    name: string;
	    value: string;
	}
	
	export interface Placement {
	    placement: string;
	    next: Input;
	    then: Input;
	}
	export interface Preview {
	    path: string;
	    cell: string;
	    request: number;
	    tokens: number;
	    window: number;
	    cost: number;
	    model: string;
	    bytes: number;
	    sha256: string;
	    parameters: Parameter[];
	    messages: Message[];
	    removed: Segment[];
	    warnings: Warning[];
	    cache: inspect.Cache;
	    expected: Expected;
	}
	
	
	
	

}

export namespace settings {
	
	export interface Beside {
	    tabs: string[];
	    active: string;
	    front: boolean;
	    share: number;
	}
	export interface Choice {
	    provider: string;
	    model: string;
	}
	export interface KeyView {
	    store: string;
	    env?: string;
	    set: boolean;
	}
	export interface ModelView {
	    id: string;
	    name?: string;
	    contextTokens: number;
	    images: boolean;
	    documents: boolean;
	    tools: boolean;
	    reasoning: boolean;
	    inputPrice: number;
	    cachedPrice: number;
	    outputPrice: number;
	    maxOutput?: number;
	    temperature?: number;
	    effort?: string;
	    cache?: string;
	    guessed: boolean;
	}
	export interface Place {
	    key: string;
	    index: number;
	    into: number;
	    way: string;
	    top: number;
	    height: number;
	    atMs: number;
	}
	export interface Preferences {
	    theme: string;
	    defaultProvider?: string;
	    defaultModel?: string;
	    titleProvider?: string;
	    titleModel?: string;
	    imageFolder: string;
	    remoteImages: boolean;
	    stepLimit: number;
	    compact: string;
	    compactAt: number;
	    zoom: number;
	    fontSize: number;
	    codeSize: number;
	    density: string;
	    language: string;
	    font: string;
	    codeFont: string;
	    parallelAgents: number;
	    commandEnv: string[];
	    keys: Record<string, Array<string>>;
	    quiet: boolean;
	}
	export interface ProviderInput {
	    id: string;
	    name: string;
	    baseUrl: string;
	    wire?: string;
	    keyEnv?: string;
	    models: ModelView[];
	}
	export interface ProviderView {
	    id: string;
	    name: string;
	    baseUrl: string;
	    wire?: string;
	    source: string;
	    key: KeyView;
	    models: ModelView[];
	}
	export interface WindowState {
	    width: number;
	    height: number;
	    maximised: boolean;
	}
	export interface UIState {
	    tabs: string[];
	    active: string;
	    beside?: Beside;
	    preview?: string;
	    sidebarWidth: number;
	    inspectorWidth: number;
	    sidebarOpen: boolean;
	    inspectorOpen?: boolean;
	    internalShown?: boolean;
	    collapsed: string[];
	    pinned: string[];
	    archived: string[];
	    read?: Record<string, number>;
	    readAll?: number;
	    places?: Record<string, Place>;
	    closed?: string[];
	    recent?: string[];
	    window: WindowState;
	    fresh?: boolean;
	}
	export interface View {
	    path: string;
	    problem?: string;
	    providers: ProviderView[];
	    preferences: Preferences;
	    default?: Choice;
	    offline?: boolean;
	}

}

export namespace summaries {
	
	export interface SectionTokens {
	    name: string;
	    tokens: number;
	}
	export interface Details {
	    lost: compaction.Loss[];
	    sections: SectionTokens[];
	    tokens: number;
	    turns: number;
	}
	export interface Tokens {
	    results: number;
	    answers: number;
	    prompts: number;
	}
	export interface Offer {
	    covers: string[];
	    goes: Tokens;
	    stays: number;
	    pinned: string[];
	    after: number;
	    tokens: number;
	    window: number;
	    trigger: number;
	    now: number;
	    later: number;
	    eachTurn: number;
	    muted: number;
	    saved: number;
	    auto: boolean;
	    running: boolean;
	}
	
	
	export interface Wanted {
	    keep: number;
	    note?: string;
	    replaces?: string;
	    unused?: boolean;
	}

}

export namespace textsearch {
	
	export interface Query {
	    text: string;
	    case?: boolean;
	    word?: boolean;
	    regexp?: boolean;
	}

}

export namespace timeline {
	
	export interface Span {
	    id: string;
	    agent: string;
	    path: string;
	    cell: string;
	    index: number;
	    kind: string;
	    word?: string;
	    text: string;
	    startMs: number;
	    endMs: number;
	    failed: boolean;
	}
	export interface Lane {
	    agent: string;
	    path: string;
	    depth: number;
	    spans: Span[];
	    cut?: boolean;
	    ran?: boolean;
	}
	export interface Link {
	    from: string;
	    to: string;
	    atMs: number;
	    kind: string;
	}
	
	export interface View {
	    seq: number;
	    root: string;
	    startMs: number;
	    lanes: Lane[];
	    links: Link[];
	}

}

export namespace workspace {
	
	export interface FileView {
	    path: string;
	    file: string;
	    text: string;
	    first: number;
	    last: number;
	    note?: string;
	}
	export interface Snapshot {
	    seq: number;
	    folder: string;
	    name: string;
	    branch?: string;
	    nodes: agenttree.Node[];
	    settings: settings.View;
	    ui: settings.UIState;
	    scanning: boolean;
	    approvals: approval.Request[];
	    trust: access.TrustView;
	    kinds: kind.Kind[];
	    paused: boolean;
	    unsaved: documents.UnsavedView[];
	    notices: string[];
	    recent: string[];
	    desktop: boolean;
	    platform: string;
	    version: string;
	}

}

export namespace worktree {
	
	export interface FileChange {
	    path: string;
	    status: string;
	    added: number;
	    deleted: number;
	    diff: string;
	    marks: boolean;
	}
	export interface View {
	    folder: string;
	    branch: string;
	    base: string;
	    files: FileChange[];
	    conflict: string[];
	    merged: boolean;
	    undoable: boolean;
	    gone: boolean;
	}

}

