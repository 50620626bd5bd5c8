package jobobject

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"mutsumi/backend/lock"
)

// Flags are the creation flags of a command that Start then puts into a job. It waits for Start, so
// that what it starts is in the job, too, and has its own process group.
const Flags = windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED

// Job is a process and everything that it starts. It is safe for concurrent use.
type Job struct {
	mu     lock.Mutex
	handle windows.Handle // 0 once it was closed
}

// Start puts a process that was created with Flags into a new job and lets it run. If it fails, the
// process still waits: kill it.
func Start(p *os.Process) (*Job, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("could not make a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var refused error
		err = p.WithHandle(func(handle uintptr) {
			refused = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
		err = errors.Join(err, refused)
	}
	if err == nil {
		err = resume(uint32(p.Pid))
	}
	if err != nil {
		windows.CloseHandle(job)
		return nil, fmt.Errorf("could not put the process into a job object: %w", err)
	}
	return &Job{handle: job}, nil
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

// Kill ends all of the job; Windows has no way to ask a process without a window to exit.
func (j *Job) Kill() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.TerminateJobObject(j.handle, 1) // nothing of it may be left
	}
}

// Close ends all of the job and gives it up.
func (j *Job) Close() {
	j.Kill()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
		j.handle = 0
	}
}
