package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"mutsumi/backend/lock"
)

// group is a server's process and everything that it starts: a job object, which Windows ends when
// its last handle is closed. Only this program has one, so the job ends with the program, however
// that ends.
type group struct {
	mu  lock.Mutex
	job windows.Handle // 0 once it was released
}

// ownGroup makes a command start in its own process group, and wait for joinGroup to let it run:
// what it starts is in the job, too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
}

// joinGroup puts a process that was just started into a group of its own and lets it run.
func joinGroup(p *os.Process) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("could not make a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		assigned := p.WithHandle(func(handle uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
		err = errors.Join(assigned, err)
	}
	if err == nil {
		err = resume(uint32(p.Pid))
	}
	if err != nil {
		windows.CloseHandle(job)
		return nil, fmt.Errorf("could not put the process into a job object: %w", err)
	}
	return &group{job: job}, nil
}

// resume lets a process run that was started suspended. Nothing returns the handle of its thread, so
// it is looked up.
func resume(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(all)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return err
}

// end kills the group: Windows has no way to ask a process without a window to exit.
func (g *group) end(bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.TerminateJobObject(g.job, 1) // nothing of it may be left
	}
}

// release ends what the process left behind, once it has ended.
func (g *group) release() {
	g.end(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	windows.CloseHandle(g.job)
	g.job = 0
}
